// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/** Against what an RDMA atomic is atomic (enum ibv_atomic_cap, man ibv_query_device). */
public enum AtomicScope {
  /** The device does no atomics. */
  NONE(0),

  /** Other atomics through the same device. */
  DEVICE(1),

  /** Also the processors and other devices. */
  SYSTEM(2);

  private final int code;

  AtomicScope(int code) {
    this.code = code;
  }

  /** The scope of a number in struct ibv_device_attr; NONE for an unknown one. */
  public static AtomicScope ofCode(int code) {
    return code == DEVICE.code ? DEVICE : code == SYSTEM.code ? SYSTEM : NONE;
  }
}
