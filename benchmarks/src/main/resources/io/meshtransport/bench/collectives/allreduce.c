// SPDX-License-Identifier: Apache-2.0
// All-reduce of floats by MPI, as the benchmarks of OSU measure it: warm up, barrier, loop.
// allreduce SECONDS BYTES...: prints a line for each size, "BYTES MICROSECONDS", the mean of all ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_RUNS = 2, MIN_RUNS = 3, MAX_RUNS = 200000, WARM_UP_PART = 10, PATTERN = 1000 };

// Of the time of all runs, for the second estimate of how many those are: the first two take longer.
// Where they take as much, they are warm-up enough, and the first estimate stands.
static const double ESTIMATE_PART = 0.05;

static double loop(const float *from, float *to, int count, int runs) {
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int i = 0; i < runs; i++) {
    MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  double own = (MPI_Wtime() - begin) / runs;
  double sum;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // Ranks decide by it how often they call: it must be the same to the last bit.
  MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return sum / ranks;
}

static int runs_in(double seconds, double each) {
  double wanted = seconds / each;
  return wanted < MIN_RUNS ? MIN_RUNS : wanted > MAX_RUNS ? MAX_RUNS : (int)wanted;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double seconds = atof(argv[1]);
  for (int size = 2; size < argc; size++) {
    long bytes = atol(argv[size]);
    int count = (int)(bytes / sizeof(float));
    float *from = malloc(bytes);
    float *to = malloc(bytes);
    for (int i = 0; i < count; i++) {
      from[i] = (float)(i % PATTERN + rank);
      to[i] = -1;
    }
    loop(from, to, count, 1);
    double each = loop(from, to, count, FIRST_RUNS);
    int runs = runs_in(seconds, each);
    if (FIRST_RUNS * each < seconds * ESTIMATE_PART) {
      runs = runs_in(seconds, loop(from, to, count, runs_in(seconds * ESTIMATE_PART, each)));
      loop(from, to, count, runs / WARM_UP_PART + 1);
    }
    double mean = loop(from, to, count, runs);
    for (int i = 0; i < count; i++) {
      if (to[i] != (float)(ranks * (i % PATTERN) + ranks * (ranks - 1) / 2)) {
        fprintf(stderr, "rank %d: element %d of %d is %f\n", rank, i, count, to[i]);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    if (rank == 0) {
      printf("%ld %.3f\n", bytes, mean * 1e6);
      fflush(stdout);
    }
    free(from);
    free(to);
  }
  MPI_Finalize();
  return 0;
}
