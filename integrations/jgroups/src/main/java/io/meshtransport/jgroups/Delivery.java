// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.io.DataInput;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jgroups.Address;
import org.jgroups.protocols.TP;

/**
 * Delivers received bundles to JGroups. Up to 5.3 {@code TP.receive} has the sender and the input
 * as parameters, from 5.4 on the length too; the plugin runs on both.
 */
final class Delivery {
  private static final MethodHandle RECEIVE = find();

  private Delivery() {}

  private static MethodHandle find() {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    try {
      return lookup.findVirtual(
          TP.class,
          "receive",
          MethodType.methodType(void.class, Address.class, DataInput.class, int.class));
    } catch (NoSuchMethodException e) {
      return withoutLength(lookup);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static MethodHandle withoutLength(MethodHandles.Lookup lookup) {
    try {
      MethodHandle receive =
          lookup.findVirtual(
              TP.class,
              "receive",
              MethodType.methodType(void.class, Address.class, DataInput.class));
      return MethodHandles.dropArguments(receive, 3, int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Delivers one bundle; JGroups has copied what it needs when this returns. */
  static void deliver(TP transport, Address sender, BufferDataInput input, int lengthBytes)
      throws Exception {
    try {
      RECEIVE.invoke(transport, sender, (DataInput) input, lengthBytes);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
