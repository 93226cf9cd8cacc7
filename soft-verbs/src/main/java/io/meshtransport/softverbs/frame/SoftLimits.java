// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

/** What a soft device can do, each number with its reason. */
public final class SoftLimits {
  /**
   * Largest message of one work request: 2^30 as on ConnectX adapters, though the specification
   * allows 2^31. Below 2^31, so that no sum of two offsets in a message overflows an int; and a
   * caller that does not cut longer messages finds out here, not on hardware.
   */
  public static final int MAX_MESSAGE_BYTES = 1 << 30;

  /** Work requests outstanding in one queue; ConnectX allows 2^15 as well. */
  public static final int MAX_QUEUE_DEPTH = 1 << 15;

  /** Scatter/gather entries of one work request; far below IOV_MAX (1024, man 2 writev). */
  public static final int MAX_SGES = 32;

  public static final int MAX_INLINE_BYTES = 1024;

  public static final int MAX_COMPLETION_QUEUE_DEPTH = 1 << 22;

  public static final int MAX_QUEUE_PAIRS = 1 << 14;

  /** The upper 24 bits of a memory key are a row of the table. */
  public static final int MAX_MEMORY_REGIONS = 1 << 20;

  public static final long MAX_REGION_BYTES = 1L << 46;

  /** RDMA reads and atomics outstanding on one queue pair, each way; 16 on ConnectX. */
  public static final int MAX_READ_ATOMIC = 16;

  /** Asynchronous events kept until they are polled; beyond it the oldest is dropped. */
  public static final int MAX_ASYNC_EVENTS = 1024;

  private SoftLimits() {}
}
