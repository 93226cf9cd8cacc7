// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

/** Which verbs provider to use. */
public enum ProviderChoice {
  /** Real devices where there are any, else software. */
  AUTO,
  /** libibverbs only; without a usable port, opening fails and says why. */
  IBVERBS,
  /** Software queue pairs over TCP, even where there are RDMA devices. */
  SOFT
}
