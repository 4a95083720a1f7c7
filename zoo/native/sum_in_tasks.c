// A sum of squares in OpenMP tasks, as an extension of a wheel might compute it. The reduction over
// tasks is of OpenMP 5: an older runtime that was loaded first lacks a part of it.
double sum_of_squares(const double *values, int count) {
    double sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int first = 0; first < count; first += 1000) {
#pragma omp task in_reduction(+ : sum) firstprivate(first)
        for (int i = first; i < first + 1000 && i < count; i++) sum += values[i] * values[i];
    }
    return sum;
}
