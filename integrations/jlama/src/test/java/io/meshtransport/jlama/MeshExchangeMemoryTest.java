// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.spi.RegisteredMemory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@link MeshExchange} of a group that prepares nothing. */
class MeshExchangeMemoryTest {
  private final AtomicInteger open = new AtomicInteger();

  private static <T> T fake(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  private RegisteredMemory allocate() {
    open.incrementAndGet();
    return fake(
        RegisteredMemory.class,
        (proxy, method, arguments) -> {
          open.decrementAndGet();
          return null;
        });
  }

  @Test
  void shouldKeepNoMemoryOfWhatCannotBePrepared() {
    Group group =
        fake(
            Group.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("allocate")) {
                return allocate();
              }
              throw new CollectiveException(
                  CollectiveException.Reason.CLOSED, CollectiveException.NO_RANK, "", "closed");
            });
    assertThrows(ShardExchangeException.class, () -> new MeshExchange(group));
    assertEquals(0, open.get());
  }
}
