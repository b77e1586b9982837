/* CBLAS products for MLX's CPU backend.
 *
 * Loaded with global visibility before libmlx.so, whose calls of cblas_sgemm and cblas_dgemm then
 * arrive here instead of at its bundled reference BLAS. Products of up to eight rows, which is
 * what decoding consists of, are computed here: they are bound by reading B once, and a general
 * GEMM would copy it first. Everything else goes to the library given to zib_blas_open, in slices
 * that idle threads draw: unlike the library's own threads, which wait for each other, a slice per
 * draw loses little when another process takes a core.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define UNROLL _Pragma("GCC unroll 4")
#define INLINE static inline __attribute__((always_inline))

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
enum { MAXIMUM_ROWS = 8, MAXIMUM_HELPERS = 63, CHUNKS_PER_THREAD = 6 };
/* Less than this is done sooner than a helper hears of it: elements of B, multiplications. */
enum { LEAST_ELEMENTS = 16384, LEAST_MULTIPLICATIONS = 1 << 20 };

typedef void sgemm_function(int, int, int, int, int, int, float, const float *, int, const float *,
                            int, float, float *, int);
typedef void dgemm_function(int, int, int, int, int, int, double, const double *, int,
                            const double *, int, double, double *, int);
typedef void sgemv_function(int, int, int, int, float, const float *, int, const float *, int,
                            float, float *, int);

static sgemm_function *library_sgemm;
static dgemm_function *library_dgemm;
static sgemv_function *library_sgemv;
static atomic_ulong call_count;
static char error_text[512];

/* ---- vectors ---- */

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vector __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float quarter __attribute__((vector_size(16)));

/* Of a tile of several rows; wider ones spill their sums from the registers. */
#define TILE_COLUMNS 2

INLINE vector load(const float *from) { return *(const vector *)from; }

INLINE float sum_lanes(vector v) {
    quarter parts[LANES / 4];
    memcpy(parts, &v, sizeof v);
    quarter sum = parts[0];
    for (int i = 1; i < LANES / 4; i++) sum += parts[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* ---- one narrow product: C[rows, n] = alpha * X[rows, k] * op(B) + beta * C ---- */

struct product {
    const float *x, *b;
    float *c;
    float alpha, beta;
    int rows, n, k;
    long ldx, ldb, ldc;
    int b_is_transposed;
};

INLINE void store(const struct product *p, int row, int column, float sum) {
    float *c = p->c + row * p->ldc + column;
    /* A C that is not read may hold NaN. */
    *c = p->beta == 0.0f ? p->alpha * sum : p->alpha * sum + p->beta * *c;
}

/* B is [n, k]: each result is a dot product of two contiguous rows. */
INLINE void dot_tile(const struct product *p, int row, int column, const int rows,
                     const int columns) {
    const float *x = p->x + row * p->ldx;
    const float *b = p->b + column * p->ldb;
    vector sums[4][4] = {0};
    int i = 0;
    for (; i + LANES <= p->k; i += LANES) {
        vector bs[4];
        UNROLL
        for (int c = 0; c < columns; c++) bs[c] = load(b + c * p->ldb + i);
        UNROLL
        for (int r = 0; r < rows; r++) {
            vector xs = load(x + r * p->ldx + i);
            UNROLL
            for (int c = 0; c < columns; c++) sums[r][c] += xs * bs[c];
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int c = 0; c < columns; c++) {
            float sum = sum_lanes(sums[r][c]);
            for (int j = i; j < p->k; j++) sum += x[r * p->ldx + j] * b[c * p->ldb + j];
            store(p, row + r, column + c, sum);
        }
}

INLINE void dot_tiles(const struct product *p, int row, int column, const int rows,
                      const int columns) {
    const int width = rows > 1 && columns > TILE_COLUMNS ? TILE_COLUMNS : columns;
    for (int c = 0; c < columns; c += width) dot_tile(p, row, column + c, rows, width);
}

INLINE void dot_columns(const struct product *p, int column, const int columns) {
    int row = 0;
    for (; row + 4 <= p->rows; row += 4) dot_tiles(p, row, column, 4, columns);
    switch (p->rows - row) {
    case 3: dot_tiles(p, row, column, 3, columns); break;
    case 2: dot_tiles(p, row, column, 2, columns); break;
    case 1: dot_tiles(p, row, column, 1, columns); break;
    }
}

/* B is [k, n]: a strip of columns is accumulated while walking down the rows of B. */
INLINE void axpy_tile(const struct product *p, int row, int column, const int rows,
                      const int strips) {
    const float *x = p->x + row * p->ldx;
    const float *b = p->b + column;
    vector sums[4][4] = {0};
    for (int i = 0; i < p->k; i++) {
        vector bs[4];
        UNROLL
        for (int s = 0; s < strips; s++) bs[s] = load(b + i * p->ldb + s * LANES);
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int s = 0; s < strips; s++) sums[r][s] += x[r * p->ldx + i] * bs[s];
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int s = 0; s < strips; s++)
            for (int lane = 0; lane < LANES; lane++)
                store(p, row + r, column + s * LANES + lane, sums[r][s][lane]);
}

INLINE void axpy_strips(const struct product *p, int column, const int strips) {
    int row = 0;
    for (; row + 4 <= p->rows; row += 4) axpy_tile(p, row, column, 4, strips);
    switch (p->rows - row) {
    case 3: axpy_tile(p, row, column, 3, strips); break;
    case 2: axpy_tile(p, row, column, 2, strips); break;
    case 1: axpy_tile(p, row, column, 1, strips); break;
    }
}

static void axpy_scalar(const struct product *p, int column) {
    for (int row = 0; row < p->rows; row++) {
        float sum = 0.0f;
        for (int i = 0; i < p->k; i++)
            sum += p->x[row * p->ldx + i] * p->b[i * p->ldb + column];
        store(p, row, column, sum);
    }
}

static void compute_columns(const void *what, int first, int end) {
    const struct product *p = what;
    int column = first;
    if (p->b_is_transposed) {
        for (; column + 4 <= end; column += 4) dot_columns(p, column, 4);
        for (; column < end; column++) dot_columns(p, column, 1);
    } else {
        for (; column + 4 * LANES <= end; column += 4 * LANES) axpy_strips(p, column, 4);
        for (; column + LANES <= end; column += LANES) axpy_strips(p, column, 1);
        for (; column < end; column++) axpy_scalar(p, column);
    }
}

/* ---- helper threads ----
 *
 * A ticket holds how many chunks the present job has and which is next. Whoever draws a valid
 * chunk may read `job`, which stays put until every chunk is counted in `finished`; a helper that
 * comes late draws an invalid chunk and touches nothing.
 */

typedef void slice_function(const void *what, int first, int end);

static struct {
    slice_function *run;
    const void *what;
    int count, per_chunk;
} job;
static _Atomic uint64_t ticket;
static atomic_uint generation, finished, sleepers;
static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sleep_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int helper_count;
static int spin_rounds = 2000;

INLINE void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static void run_chunks(void) {
    for (;;) {
        uint64_t drawn = atomic_fetch_add(&ticket, 1);
        uint32_t total = (uint32_t)(drawn >> 32), chunk = (uint32_t)drawn;
        if (chunk >= total) return;
        int first = (int)chunk * job.per_chunk;
        job.run(job.what, first, chunk + 1 == total ? job.count : first + job.per_chunk);
        atomic_fetch_add(&finished, 1);
    }
}

static void wait_for_work(unsigned seen) {
    for (int i = 0; i < spin_rounds; i++) {
        if (atomic_load(&generation) != seen) return;
        relax();
    }
    pthread_mutex_lock(&sleep_mutex);
    atomic_fetch_add(&sleepers, 1);
    while (atomic_load(&generation) == seen) pthread_cond_wait(&wake, &sleep_mutex);
    atomic_fetch_sub(&sleepers, 1);
    pthread_mutex_unlock(&sleep_mutex);
}

static void *helper(void *unused) {
    unsigned seen = atomic_load(&generation);
    for (;;) {
        wait_for_work(seen);
        seen = atomic_load(&generation);
        run_chunks();
    }
    return unused;
}

static void start_helpers(int count) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (pthread_t thread; helper_count < count; helper_count++)
        if (pthread_create(&thread, &attributes, helper, NULL)) break;
    pthread_attr_destroy(&attributes);
}

static void publish(slice_function *run, const void *what, int count, int per_chunk,
                    unsigned chunks) {
    job.run = run;
    job.what = what;
    job.count = count;
    job.per_chunk = per_chunk;
    atomic_store(&finished, 0);
    atomic_store(&ticket, (uint64_t)chunks << 32);
    atomic_fetch_add(&generation, 1);
    if (atomic_load(&sleepers)) {
        pthread_mutex_lock(&sleep_mutex);
        pthread_cond_broadcast(&wake);
        pthread_mutex_unlock(&sleep_mutex);
    }
}

/* Runs [0, count) in slices of at least `least`, a multiple of `step`, wherever threads are free. */
static void run_shared(slice_function *run, const void *what, int count, int least, int step) {
    int even = count / (CHUNKS_PER_THREAD * (helper_count + 1));
    int per_chunk = ((even > least ? even : least) + step - 1) / step * step;
    if (helper_count == 0 || count <= per_chunk || pthread_mutex_trylock(&pool_mutex) != 0) {
        run(what, 0, count);
        return;
    }
    unsigned chunks = (unsigned)((count + per_chunk - 1) / per_chunk);
    publish(run, what, count, per_chunk, chunks);
    run_chunks();
    for (int i = 0; atomic_load(&finished) != chunks; i++)
        if (i < 1000) relax();
        else sched_yield();
    pthread_mutex_unlock(&pool_mutex);
}

/* How many of `count` lines make `elements`, each line holding `length` of them. */
static int lines_for(int64_t elements, int64_t length) {
    int64_t lines = (elements + length - 1) / length;
    return lines < INT_MAX / 2 ? (int)lines : INT_MAX / 2;
}

/* ---- the CBLAS entry points ---- */

/* Row-major, so that C is [m, n] with rows of ldc. */
struct arguments {
    int a_is_transposed, b_is_transposed, m, n, k;
    float alpha, beta;
    const float *a, *b;
    float *c;
    int lda, ldb, ldc;
};

static int are_plain(const struct arguments *g) {
    return g->m > 0 && g->n > 0 && g->k > 0 && g->alpha != 0.0f &&
           g->lda >= (g->a_is_transposed ? g->m : g->k) &&
           g->ldb >= (g->b_is_transposed ? g->k : g->n) && g->ldc >= g->n;
}

static float *pack_transposed(const struct arguments *g) {
    float *packed = malloc((size_t)g->m * (size_t)g->k * sizeof *packed);
    if (packed)
        for (int row = 0; row < g->m; row++)
            for (int i = 0; i < g->k; i++)
                packed[(long)row * g->k + i] = g->a[(long)i * g->lda + row];
    return packed;
}

static int try_narrow(const struct arguments *g) {
    struct product p = {.x = g->a, .b = g->b, .c = g->c, .alpha = g->alpha, .beta = g->beta,
                        .rows = g->m, .n = g->n, .k = g->k, .ldx = g->lda, .ldb = g->ldb,
                        .ldc = g->ldc, .b_is_transposed = g->b_is_transposed};
    float *packed = NULL;
    if (g->a_is_transposed) {
        packed = pack_transposed(g);
        if (!packed) return 0;
        p.x = packed;
        p.ldx = g->k;
    }
    run_shared(compute_columns, &p, p.n, lines_for(LEAST_ELEMENTS, p.k), 4 * LANES);
    free(packed);
    return 1;
}

static int transpose(int is_transposed) { return is_transposed ? TRANSPOSE : NO_TRANSPOSE; }

static void run_column(const struct arguments *g) {
    if (g->beta == 0.0f)
        for (int row = 0; row < g->m; row++) g->c[(long)row * g->ldc] = 0.0f;
    int rows = g->a_is_transposed ? g->k : g->m, columns = g->a_is_transposed ? g->m : g->k;
    library_sgemv(ROW_MAJOR, transpose(g->a_is_transposed), rows, columns, g->alpha,
                  g->a, g->lda, g->b, g->b_is_transposed ? 1 : g->ldb, g->beta, g->c, g->ldc);
}

static void gemm_columns(const void *what, int first, int end) {
    const struct arguments *g = what;
    const float *b = g->b + (g->b_is_transposed ? (long)first * g->ldb : first);
    library_sgemm(ROW_MAJOR, transpose(g->a_is_transposed), transpose(g->b_is_transposed), g->m,
                  end - first, g->k, g->alpha, g->a, g->lda, b, g->ldb, g->beta, g->c + first,
                  g->ldc);
}

static void gemm_rows(const void *what, int first, int end) {
    const struct arguments *g = what;
    const float *a = g->a + (g->a_is_transposed ? first : (long)first * g->lda);
    library_sgemm(ROW_MAJOR, transpose(g->a_is_transposed), transpose(g->b_is_transposed),
                  end - first, g->n, g->k, g->alpha, a, g->lda, g->b, g->ldb, g->beta,
                  g->c + (long)first * g->ldc, g->ldc);
}

static void run_wide(const struct arguments *g) {
    int is_by_columns = g->n >= g->m, other = is_by_columns ? g->m : g->n;
    run_shared(is_by_columns ? gemm_columns : gemm_rows, g, is_by_columns ? g->n : g->m,
               lines_for(LEAST_MULTIPLICATIONS, (int64_t)other * g->k), 4 * LANES);
}

EXPORT void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                        const float *a, int lda, const float *b, int ldb, float beta, float *c,
                        int ldc) {
    atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    struct arguments g = {trans_a != NO_TRANSPOSE, trans_b != NO_TRANSPOSE, m, n, k, alpha, beta,
                          a, b, c, lda, ldb, ldc};
    if (order == COLUMN_MAJOR) /* the same memory read by rows: C' = op(B)' op(A)' */
        g = (struct arguments){trans_b != NO_TRANSPOSE, trans_a != NO_TRANSPOSE, n, m, k, alpha,
                               beta, b, a, c, ldb, lda, ldc};
    if (are_plain(&g)) {
        if (g.m <= MAXIMUM_ROWS && try_narrow(&g)) return;
        if (g.n == 1) run_column(&g);
        else run_wide(&g);
        return;
    }
    library_sgemm(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

EXPORT void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                        const double *a, int lda, const double *b, int ldb, double beta, double *c,
                        int ldc) {
    atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    library_dgemm(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* ---- control, called through ctypes ---- */

static void *find(void *library, const char *name) {
    char prefixed[64];
    snprintf(prefixed, sizeof prefixed, "scipy_%s", name);
    void *symbol = dlsym(library, prefixed);
    return symbol ? symbol : dlsym(library, name);
}

EXPORT const char *zib_blas_error(void) { return error_text; }

EXPORT unsigned long zib_blas_calls(void) { return atomic_load(&call_count); }

EXPORT int zib_blas_open(const char *path, int threads) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(error_text, sizeof error_text, "%s", dlerror());
        return 1;
    }
    library_sgemm = (sgemm_function *)find(library, "cblas_sgemm");
    library_dgemm = (dgemm_function *)find(library, "cblas_dgemm");
    library_sgemv = (sgemv_function *)find(library, "cblas_sgemv");
    if (!library_sgemm || !library_dgemm || !library_sgemv) {
        snprintf(error_text, sizeof error_text, "it has no cblas_sgemm, cblas_dgemm or cblas_sgemv");
        return 2;
    }
    const char *(*configuration)(void) = (const char *(*)(void))find(library, "openblas_get_config");
    if (configuration && strstr(configuration(), "USE64BITINT")) {
        snprintf(error_text, sizeof error_text, "it takes 64-bit integers, MLX passes 32-bit ones");
        return 3;
    }
    /* The threads are ours: the library computes each slice in the thread that drew it. */
    void (*set_threads)(int) = (void (*)(int))find(library, "openblas_set_num_threads");
    if (!set_threads) set_threads = (void (*)(int))find(library, "MKL_Set_Num_Threads");
    if (set_threads) set_threads(1);
    start_helpers(threads - 1 < MAXIMUM_HELPERS ? threads - 1 : MAXIMUM_HELPERS);
    return 0;
}
