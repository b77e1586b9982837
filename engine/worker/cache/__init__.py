"""KV caches that quantize, rotate and batch, in mlx-lm's cache interface; what mlx-lm lacks.

rotating_state            ring and row book-keeping of a batch of sliding windows, without MLX
padded_state              row book-keeping of a left-padded batch, without MLX
row_storage               what rows of tokens can be asked for, merging, time order; without MLX
array_rows                rows in arrays: plain, and quantized (packed, scales, biases)
quantized_layer           what all quantized caches share
quantized                 full attention, one row
batch_quantized           full attention, a batch of rows
rotating_quantized        a sliding window, one row
batch_rotating_quantized  a sliding window, a batch of rows; its buffers are in ring_batch
lone_rotating_row         a sliding window, a batch of one that can still be prefilled
detached                  makes rows that left a batch own their memory
formats                   caches of every class as packed arrays and numbers, and back
policy                    which layer is quantized, and why another is not
layer_trial               whether a model's own code can use quantized keys, layer by layer
twins                     the quantized class of each plain one
conversion                makes caches as a policy says and quantizes running ones
attention                 attention over quantized keys and values
attention_routes          which way it takes on which device, as measured
attention_patch           puts it in the place of mlx-lm's
"""
