// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

/** Which verbs provider to use. */
public enum ProviderChoice {
  /** Real devices where there are any, else software. */
  AUTO,
  /** libibverbs only: fail, saying why, where it finds no usable port. */
  IBVERBS,
  /** Software queue pairs over TCP, even where there are RDMA devices. */
  SOFT
}
