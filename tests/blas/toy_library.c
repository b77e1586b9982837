/* A CBLAS of plain loops for the tests. VARIANT is a statement that spoils each product. */
#include <stdlib.h>
#include <unistd.h>

#ifndef VARIANT
#define VARIANT
#endif

static long place(int by_rows, int leading, int i, int j) {
    return by_rows ? (long)i * leading + j : (long)j * leading + i;
}

#define GEMM(name, real)                                                                          \
    void name(int order, int ta, int tb, int m, int n, int k, real alpha, const real *a, int lda, \
              const real *b, int ldb, real beta, real *c, int ldc) {                              \
        int by_rows = order == 101;                                                               \
        for (int i = 0; i < m; i++)                                                               \
            for (int j = 0; j < n; j++) {                                                         \
                real sum = 0, *to = c + place(by_rows, ldc, i, j);                                \
                VARIANT;                                                                          \
                for (int l = 0; l < k; l++)                                                       \
                    sum += a[place(by_rows == (ta == 111), lda, i, l)] *                          \
                           b[place(by_rows == (tb == 111), ldb, l, j)];                           \
                *to = alpha * sum + (beta == 0 ? 0 : beta * *to);                                 \
            }                                                                                     \
    }

GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)

void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy) {
    int is_plain = trans == 111;
    for (int i = 0; i < (is_plain ? m : n); i++) {
        float sum = 0, *to = y + (long)i * incy;
        for (int j = 0; j < (is_plain ? n : m); j++)
            sum += a[place((order == 101) == is_plain, lda, i, j)] * x[(long)j * incx];
        *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
    }
}
