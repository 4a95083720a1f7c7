// A sum over rows that are looked up in a table, in an OpenMP loop; nobody checks the table.
double sum_of_rows(double *const *rows, int count) {
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < count; i++) sum += rows[i][0];
    return sum;
}
