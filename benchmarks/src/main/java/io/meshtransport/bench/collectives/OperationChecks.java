// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntBinaryOperator;

/**
 * Runs every operation of a group once and compares what it brings with what a loop over all ranks'
 * elements gives: each rank knows them, since they follow from the rank. One thread.
 */
final class OperationChecks {
  /** Divisible by no number of ranks from 2 to 16. */
  private static final int LENGTH = 30_011;

  /** Of the digest's seed. */
  private static final long SEED = 20_261_125;

  private final Group group;
  private final Map<String, String> outcomes = new LinkedHashMap<>();

  OperationChecks(Group group) {
    this.group = group;
  }

  CollectiveEvent.Checked run() throws CollectiveException {
    group.barrier();
    outcomes.put("barrier", "");
    for (ReduceOp op : ReduceOp.values()) {
      int[] values = elements(group.rank());
      group.allReduce(values, op);
      compare("all-reduce " + op, values, reduced(op, 0, LENGTH));
    }
    int root = group.size() - 1;
    reduceAndBroadcast(root);
    gatherAndScatter();
    exchange();
    sendAndReceive(root);
    return new CollectiveEvent.Checked(outcomes, digest());
  }

  private void reduceAndBroadcast(int root) throws CollectiveException {
    int[] values = elements(group.rank());
    group.reduce(values, ReduceOp.SUM, root);
    boolean isRoot = group.rank() == root;
    compare("reduce", values, isRoot ? reduced(ReduceOp.SUM, 0, LENGTH) : elements(group.rank()));
    values = elements(group.rank());
    group.broadcast(values, root);
    compare("broadcast", values, elements(root));
  }

  private void gatherAndScatter() throws CollectiveException {
    int[] all = new int[group.size() * LENGTH];
    for (int rank = 0; rank < group.size(); rank++) {
      System.arraycopy(elements(rank), 0, all, rank * LENGTH, LENGTH);
    }
    compare("all-gather", group.allGather(elements(group.rank())), all);
    int block = LENGTH / group.size();
    int[] values = Arrays.copyOf(elements(group.rank()), block * group.size());
    int begin = group.rank() * block;
    compare(
        "reduce-scatter",
        group.reduceScatter(values, ReduceOp.MAX),
        reduced(ReduceOp.MAX, begin, begin + block));
  }

  private void exchange() throws CollectiveException {
    int block = LENGTH / group.size();
    int[] values = Arrays.copyOf(elements(group.rank()), block * group.size());
    int[] expected = new int[block * group.size()];
    for (int rank = 0; rank < group.size(); rank++) {
      System.arraycopy(elements(rank), group.rank() * block, expected, rank * block, block);
    }
    compare("all-to-all", group.allToAll(values), expected);
  }

  /** From rank 0 to the last, which other ranks may lie between. */
  private void sendAndReceive(int last) throws CollectiveException {
    int[] own = elements(group.rank());
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH * Integer.BYTES).order(ByteOrder.nativeOrder());
    bytes.asIntBuffer().put(own);
    group.sendReceive(bytes, 0, last);
    int[] values = new int[LENGTH];
    bytes.asIntBuffer().get(values);
    compare("send and receive", values, group.rank() == last ? elements(0) : own);
  }

  /** Equal on all ranks if the same bits are: these sums depend on the order of adding. */
  private String digest() throws CollectiveException {
    SplittableRandom random = new SplittableRandom(SEED + group.rank());
    float[] values = new float[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      values[i] = (float) (random.nextDouble() * Math.pow(10, random.nextInt(-6, 7)));
    }
    group.allReduce(values, ReduceOp.SUM);
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH * Float.BYTES);
    bytes.asFloatBuffer().put(values);
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static int[] elements(int rank) {
    int[] values = new int[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      values[i] = (i + 1) * 31 + rank * 7919;
    }
    return values;
  }

  private int[] reduced(ReduceOp op, int begin, int end) {
    IntBinaryOperator two = operator(op);
    int[] result = Arrays.copyOfRange(elements(0), begin, end);
    for (int rank = 1; rank < group.size(); rank++) {
      int[] next = Arrays.copyOfRange(elements(rank), begin, end);
      Arrays.setAll(result, i -> two.applyAsInt(result[i], next[i]));
    }
    if (op == ReduceOp.AVG) {
      Arrays.setAll(result, i -> result[i] / group.size());
    }
    return result;
  }

  private static IntBinaryOperator operator(ReduceOp op) {
    return switch (op) {
      case SUM, AVG -> Integer::sum;
      case MIN -> Math::min;
      case MAX -> Math::max;
      case PROD -> (a, b) -> a * b;
      case AND -> (a, b) -> a & b;
      case OR -> (a, b) -> a | b;
      case XOR -> (a, b) -> a ^ b;
    };
  }

  private void compare(String operation, int[] values, int[] expected) {
    int at = Arrays.mismatch(values, expected);
    outcomes.put(
        operation,
        at < 0
            ? ""
            : "element %d of %d at rank %d is %d, not %d"
                .formatted(at, expected.length, group.rank(), values[at], expected[at]));
  }
}
