// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.ParameterizedMessageFactory;

/** A logger of Log4j that remembers what was logged, as {@code warn: text}. */
public final class RecordingLogger {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public final Logger log =
      (Logger)
          Proxy.newProxyInstance(
              Logger.class.getClassLoader(),
              new Class<?>[] {Logger.class},
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
    Object[] values =
        arguments.length == 2 && arguments[1] instanceof Object[] given
            ? given
            : Arrays.copyOfRange(arguments, 1, arguments.length);
    Message message =
        ParameterizedMessageFactory.INSTANCE.newMessage((String) arguments[0], values);
    Throwable last = message.getThrowable();
    return message.getFormattedMessage() + (last == null ? "" : "\n" + last + " at ...");
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** The lines of warnings and errors. */
  public List<String> loud() {
    return lines.stream().filter(l -> l.startsWith("warn") || l.startsWith("error")).toList();
  }
}
