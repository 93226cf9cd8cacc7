// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.WorkCompletions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A device that does no more than InfiniBand promises: what a peer writes is acknowledged when the
 * device has it, and is in memory no earlier than a receive on this device completes or a queue
 * pair is destroyed. Bytes that are written over others of the same value may be missed, so memory
 * must be fresh. One queue pair to a device, confined to the test's thread.
 */
final class LatePlacementDevice {
  /** What the device has, and what of it is in memory. */
  private record Shadow(ByteBuffer memory, ByteBuffer device, ByteBuffer seen) {
    void place() {
      for (int i = 0; i < device.capacity(); i++) {
        byte now = device.get(i);
        if (now != seen.get(i)) {
          seen.put(i, now);
          memory.put(i, now);
        }
      }
    }
  }

  private final List<Shadow> shadows = new ArrayList<>();
  private final Map<Object, Object> realOf = new IdentityHashMap<>();

  private LatePlacementDevice() {}

  static VerbsDevice over(VerbsDevice below) {
    LatePlacementDevice late = new LatePlacementDevice();
    return late.watch(
        VerbsDevice.class,
        below,
        (method, arguments) -> {
          Object result = late.call(below, method, arguments);
          return switch (method.getName()) {
            case "allocateProtectionDomain" -> late.domain((ProtectionDomain) result);
            case "createCompletionQueue" -> late.queue((CompletionQueue) result);
            default -> result;
          };
        });
  }

  private ProtectionDomain domain(ProtectionDomain domain) {
    return watch(
        ProtectionDomain.class,
        domain,
        (method, arguments) -> {
          boolean isWritten =
              method.getName().equals("register")
                  && ((int) arguments[1] & Access.REMOTE_WRITE) != 0;
          if (isWritten && arguments[0] instanceof ByteBuffer memory) {
            return domain.register(shadow(memory), (int) arguments[1]);
          }
          if (isWritten) {
            List<ByteBuffer> segments =
                ((List<?>) arguments[0]).stream().map(each -> shadow((ByteBuffer) each)).toList();
            return domain.register(segments, (int) arguments[1]);
          }
          Object result = call(domain, method, arguments);
          return result instanceof QueuePair pair ? pair(pair) : result;
        });
  }

  private ByteBuffer shadow(ByteBuffer memory) {
    ByteBuffer device = ByteBuffer.allocateDirect(memory.capacity());
    for (int i = 0; i < memory.capacity(); i++) {
      device.put(i, memory.get(i));
    }
    shadows.add(
        new Shadow(
            memory,
            device,
            ByteBuffer.allocate(memory.capacity()).put(0, device, 0, memory.capacity())));
    return device;
  }

  private QueuePair pair(QueuePair pair) {
    return watch(
        QueuePair.class,
        pair,
        (method, arguments) -> {
          Object result = call(pair, method, arguments);
          if (method.getName().equals("close")) {
            shadows.forEach(Shadow::place);
          }
          return result;
        });
  }

  private CompletionQueue queue(CompletionQueue queue) {
    return watch(
        CompletionQueue.class,
        queue,
        (method, arguments) -> {
          Object result = call(queue, method, arguments);
          if (method.getName().equals("poll")
              && tellsOfAReceive((WorkCompletions) arguments[0], (int) result)) {
            shadows.forEach(Shadow::place);
          }
          return result;
        });
  }

  private static boolean tellsOfAReceive(WorkCompletions batch, int count) {
    for (int i = 0; i < count; i++) {
      if (batch.status(i) == CompletionStatus.SUCCESS
          && WorkRequestId.kind(batch.id(i)) == WorkRequestId.RECEIVE) {
        return true;
      }
    }
    return false;
  }

  private interface Call {
    Object answer(Method method, Object[] arguments) throws Exception;
  }

  private <T> T watch(Class<T> type, Object real, Call call) {
    T watched =
        type.cast(
            Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.answer(method, arguments)));
    realOf.put(watched, real);
    return watched;
  }

  /** The device below knows its own objects only. */
  private Object call(Object real, Method method, Object[] arguments) throws Exception {
    Object[] known = arguments == null ? null : arguments.clone();
    for (int i = 0; known != null && i < known.length; i++) {
      known[i] = realOf.getOrDefault(known[i], known[i]);
    }
    try {
      return method.invoke(real, known);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
