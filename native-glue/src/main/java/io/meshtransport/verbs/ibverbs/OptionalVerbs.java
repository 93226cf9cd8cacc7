// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.NativeLibrary;
import java.util.Optional;

/**
 * The functions that older versions of libibverbs lack, each present or empty. Any thread. Never
 * released.
 *
 * @param dmaBuf empty before rdma-core 34
 * @param fork empty before rdma-core 35
 * @param dataOrder empty before rdma-core 42
 */
record OptionalVerbs(
    Optional<DmaBufVerb> dmaBuf, Optional<ForkVerb> fork, Optional<DataOrderVerb> dataOrder) {
  /**
   * @param library its name for the dynamic linker
   */
  static OptionalVerbs of(String library) {
    return new OptionalVerbs(
        bind(DmaBufVerb.class, DmaBufVerb.Bound.class, library),
        bind(ForkVerb.class, ForkVerb.Bound.class, library),
        bind(DataOrderVerb.class, DataOrderVerb.Bound.class, library));
  }

  private static <T> Optional<T> bind(Class<T> api, Class<? extends T> template, String library) {
    try {
      return Optional.of(DirectBinding.bind(api, template, NativeLibrary.getInstance(library)));
    } catch (UnsatisfiedLinkError e) {
      // This function is missing: callers report what that means.
      return Optional.empty();
    }
  }
}
