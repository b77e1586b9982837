"""KV caches that quantize, rotate and batch, in mlx-lm's cache interface; what mlx-lm lacks.

errors                   what a cache refuses, in sentences
rotating_state           ring and row book-keeping of a batch of sliding windows, without MLX
padded_state             row book-keeping of a left-padded batch, without MLX
row_storage              what rows of tokens can be asked for, merging, time order; without MLX
array_rows               rows in arrays: plain, and quantized (packed, scales, biases)
quantized_layer          what all quantized caches share
quantized                full attention: one row, and a batch of rows
rotating_quantized       a sliding window: one row
batch_rotating_quantized a sliding window: a batch of rows, and a row that is still alone
detached                 makes rows that left a batch own their memory
saving                   writes and reads caches of every class, live tokens only
"""
