// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jgroups.logging.Log;

/** A JGroups log that remembers what was logged, as {@code warn: text}. */
public final class RecordingLog {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public final Log log =
      (Log)
          Proxy.newProxyInstance(
              Log.class.getClassLoader(),
              new Class<?>[] {Log.class},
              (proxy, method, arguments) -> {
                if (method.getReturnType() == boolean.class) {
                  return true;
                }
                if (arguments != null) {
                  lines.add(method.getName() + ": " + text(arguments));
                }
                return null;
              });

  private static String text(Object[] arguments) {
    return arguments.length == 2 && arguments[1] instanceof Object[] values
        ? String.format((String) arguments[0], values) + trace(values)
        : String.valueOf(arguments[0]);
  }

  /** As log4j does: an exception that comes last is printed once more, with its stack trace. */
  private static String trace(Object[] values) {
    return values.length > 0 && values[values.length - 1] instanceof Throwable last
        ? "\n" + last + " at ..."
        : "";
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** The lines of warnings and errors. */
  public List<String> loud() {
    return lines.stream().filter(l -> l.startsWith("warn") || l.startsWith("error")).toList();
  }
}
