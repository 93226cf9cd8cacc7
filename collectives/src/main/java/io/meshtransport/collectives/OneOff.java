// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Collective operations for a single time, on arrays, buffers and registered memory. They block,
 * and copy through memory of the group. The first call with a count, a type and an op prepares;
 * later ones with the same reuse that, up to {@value #MAX_CACHED} of them. {@code byte[]} are
 * {@link DataType#I8}.
 *
 * <p>The rules of {@link Group} apply: every rank calls the same with the same counts.
 *
 * <p>A call that was interrupted (INTERRUPTED) counts: its run goes on with the other ranks, and
 * its result is dropped, so that the caller's array or buffer stays as it was. The next call of the
 * same form and count waits for that run first, at most {@link #timeout()}, and then starts its
 * own. An interrupt in that wait fails the group (ABORTED), and so does one of an all-reduce of
 * registered memory that is too long to be copied.
 */
public interface OneOff {
  /** Max operations that are kept for later calls; the one that was used longest ago is closed. */
  int MAX_CACHED = 64;

  /** Max time of each call, a minute unless {@link #timeout(Duration)} says otherwise. */
  Duration timeout();

  /**
   * Sets the max time of each later call; past it the group fails, as {@link Collective#start}.
   *
   * @throws IllegalArgumentException for 0 or less
   */
  void timeout(Duration newTimeout);

  /** In which order each call reduces, {@link ReductionOrder#SAME_PLAN} unless set. */
  ReductionOrder order();

  /** Sets the order of each later call; the same on every rank. */
  void order(ReductionOrder newOrder);

  /** Returns when every rank has called it. */
  void barrier() throws CollectiveException;

  /**
   * Reduces between position and limit, in place; neither is moved.
   *
   * @param values heap or direct; its order does not count, elements are in native byte order
   */
  void allReduce(ByteBuffer values, DataType type, Reduction op) throws CollectiveException;

  /** As {@link #allReduce(ByteBuffer, DataType, Reduction)}; the result is at the root only. */
  void reduce(ByteBuffer values, DataType type, Reduction op, int root) throws CollectiveException;

  /** Sends what is between position and limit at the root to the same place at the others. */
  void broadcast(ByteBuffer values, int root) throws CollectiveException;

  /**
   * Gathers what is between position and limit of each rank.
   *
   * @param all size x as many bytes between its position and limit
   */
  void allGather(ByteBuffer mine, ByteBuffer all) throws CollectiveException;

  /**
   * Reduces what is between position and limit, and rank r gets block r.
   *
   * @param mine all's bytes / size between its position and limit
   */
  void reduceScatter(ByteBuffer all, ByteBuffer mine, DataType type, Reduction op)
      throws CollectiveException;

  /**
   * Sends block d of what is between position and limit to rank d.
   *
   * @param to as many bytes as from; a buffer of its own
   */
  void allToAll(ByteBuffer from, ByteBuffer to) throws CollectiveException;

  /** Sends from one rank to another; every rank calls it, with as many bytes. */
  void sendReceive(ByteBuffer values, int source, int destination) throws CollectiveException;

  /**
   * Reduces elements of registered memory in place: up to 16 MiB as a buffer, with a copy; more
   * without one, prepared, run and closed.
   */
  void allReduce(RegisteredMemory memory, long offsetBytes, long count, DataType type, Reduction op)
      throws CollectiveException;

  /** Reduces in place. */
  default void allReduce(float[] values, Reduction op) throws CollectiveException {
    ArrayForms.allReduce(this, values, DataType.F32, op);
  }

  /** Reduces in place at the root; the others' values stay. */
  default void reduce(float[] values, Reduction op, int root) throws CollectiveException {
    ArrayForms.reduce(this, values, DataType.F32, op, root);
  }

  /** The root's values go to the others. */
  default void broadcast(float[] values, int root) throws CollectiveException {
    ArrayForms.broadcast(this, values, DataType.F32, root);
  }

  /** The values of all ranks, in order of rank; a new array. */
  default float[] allGather(float[] mine) throws CollectiveException {
    float[] all = new float[Math.multiplyExact(size(), mine.length)];
    ArrayForms.allGather(this, mine, all, DataType.F32);
    return all;
  }

  /** Block r of the reduction for rank r; a new array. The length must be divisible by size. */
  default float[] reduceScatter(float[] all, Reduction op) throws CollectiveException {
    float[] mine = new float[ArrayForms.block(all.length, size())];
    ArrayForms.reduceScatter(this, all, mine, DataType.F32, op);
    return mine;
  }

  /**
   * Block s of rank s's values for this rank; a new array. The length must be divisible by size.
   */
  default float[] allToAll(float[] from) throws CollectiveException {
    float[] to = new float[ArrayForms.block(from.length, size()) * size()];
    ArrayForms.allToAll(this, from, to, DataType.F32);
    return to;
  }

  /** Reduces in place. */
  default void allReduce(double[] values, Reduction op) throws CollectiveException {
    ArrayForms.allReduce(this, values, DataType.F64, op);
  }

  /** Reduces in place at the root; the others' values stay. */
  default void reduce(double[] values, Reduction op, int root) throws CollectiveException {
    ArrayForms.reduce(this, values, DataType.F64, op, root);
  }

  /** The root's values go to the others. */
  default void broadcast(double[] values, int root) throws CollectiveException {
    ArrayForms.broadcast(this, values, DataType.F64, root);
  }

  /** The values of all ranks, in order of rank; a new array. */
  default double[] allGather(double[] mine) throws CollectiveException {
    double[] all = new double[Math.multiplyExact(size(), mine.length)];
    ArrayForms.allGather(this, mine, all, DataType.F64);
    return all;
  }

  /** Block r of the reduction for rank r; a new array. The length must be divisible by size. */
  default double[] reduceScatter(double[] all, Reduction op) throws CollectiveException {
    double[] mine = new double[ArrayForms.block(all.length, size())];
    ArrayForms.reduceScatter(this, all, mine, DataType.F64, op);
    return mine;
  }

  /**
   * Block s of rank s's values for this rank; a new array. The length must be divisible by size.
   */
  default double[] allToAll(double[] from) throws CollectiveException {
    double[] to = new double[ArrayForms.block(from.length, size()) * size()];
    ArrayForms.allToAll(this, from, to, DataType.F64);
    return to;
  }

  /** Reduces in place. */
  default void allReduce(int[] values, Reduction op) throws CollectiveException {
    ArrayForms.allReduce(this, values, DataType.I32, op);
  }

  /** Reduces in place at the root; the others' values stay. */
  default void reduce(int[] values, Reduction op, int root) throws CollectiveException {
    ArrayForms.reduce(this, values, DataType.I32, op, root);
  }

  /** The root's values go to the others. */
  default void broadcast(int[] values, int root) throws CollectiveException {
    ArrayForms.broadcast(this, values, DataType.I32, root);
  }

  /** The values of all ranks, in order of rank; a new array. */
  default int[] allGather(int[] mine) throws CollectiveException {
    int[] all = new int[Math.multiplyExact(size(), mine.length)];
    ArrayForms.allGather(this, mine, all, DataType.I32);
    return all;
  }

  /** Block r of the reduction for rank r; a new array. The length must be divisible by size. */
  default int[] reduceScatter(int[] all, Reduction op) throws CollectiveException {
    int[] mine = new int[ArrayForms.block(all.length, size())];
    ArrayForms.reduceScatter(this, all, mine, DataType.I32, op);
    return mine;
  }

  /**
   * Block s of rank s's values for this rank; a new array. The length must be divisible by size.
   */
  default int[] allToAll(int[] from) throws CollectiveException {
    int[] to = new int[ArrayForms.block(from.length, size()) * size()];
    ArrayForms.allToAll(this, from, to, DataType.I32);
    return to;
  }

  /** Reduces in place. */
  default void allReduce(long[] values, Reduction op) throws CollectiveException {
    ArrayForms.allReduce(this, values, DataType.I64, op);
  }

  /** Reduces in place at the root; the others' values stay. */
  default void reduce(long[] values, Reduction op, int root) throws CollectiveException {
    ArrayForms.reduce(this, values, DataType.I64, op, root);
  }

  /** The root's values go to the others. */
  default void broadcast(long[] values, int root) throws CollectiveException {
    ArrayForms.broadcast(this, values, DataType.I64, root);
  }

  /** The values of all ranks, in order of rank; a new array. */
  default long[] allGather(long[] mine) throws CollectiveException {
    long[] all = new long[Math.multiplyExact(size(), mine.length)];
    ArrayForms.allGather(this, mine, all, DataType.I64);
    return all;
  }

  /** Block r of the reduction for rank r; a new array. The length must be divisible by size. */
  default long[] reduceScatter(long[] all, Reduction op) throws CollectiveException {
    long[] mine = new long[ArrayForms.block(all.length, size())];
    ArrayForms.reduceScatter(this, all, mine, DataType.I64, op);
    return mine;
  }

  /**
   * Block s of rank s's values for this rank; a new array. The length must be divisible by size.
   */
  default long[] allToAll(long[] from) throws CollectiveException {
    long[] to = new long[ArrayForms.block(from.length, size()) * size()];
    ArrayForms.allToAll(this, from, to, DataType.I64);
    return to;
  }

  /** Reduces in place. */
  default void allReduce(byte[] values, Reduction op) throws CollectiveException {
    ArrayForms.allReduce(this, values, DataType.I8, op);
  }

  /** Reduces in place at the root; the others' values stay. */
  default void reduce(byte[] values, Reduction op, int root) throws CollectiveException {
    ArrayForms.reduce(this, values, DataType.I8, op, root);
  }

  /** The root's values go to the others. */
  default void broadcast(byte[] values, int root) throws CollectiveException {
    ArrayForms.broadcast(this, values, DataType.I8, root);
  }

  /** The values of all ranks, in order of rank; a new array. */
  default byte[] allGather(byte[] mine) throws CollectiveException {
    byte[] all = new byte[Math.multiplyExact(size(), mine.length)];
    ArrayForms.allGather(this, mine, all, DataType.I8);
    return all;
  }

  /** Block r of the reduction for rank r; a new array. The length must be divisible by size. */
  default byte[] reduceScatter(byte[] all, Reduction op) throws CollectiveException {
    byte[] mine = new byte[ArrayForms.block(all.length, size())];
    ArrayForms.reduceScatter(this, all, mine, DataType.I8, op);
    return mine;
  }

  /**
   * Block s of rank s's values for this rank; a new array. The length must be divisible by size.
   */
  default byte[] allToAll(byte[] from) throws CollectiveException {
    byte[] to = new byte[ArrayForms.block(from.length, size()) * size()];
    ArrayForms.allToAll(this, from, to, DataType.I8);
    return to;
  }

  /** Number of members. */
  int size();
}
