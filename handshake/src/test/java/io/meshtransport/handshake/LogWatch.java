// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Collects all that is logged as a warning, an error or with a trace, Netty's leak reports too. */
final class LogWatch implements AutoCloseable {
  private final List<String> alarms = new CopyOnWriteArrayList<>();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final AbstractAppender appender =
      new AbstractAppender("watch", null, null, true, Property.EMPTY_ARRAY) {
        @Override
        public void append(LogEvent event) {
          if (event.getLevel().isMoreSpecificThan(Level.WARN) || event.getThrown() != null) {
            alarms.add(event.getMessage().getFormattedMessage() + " " + event.getThrown());
          }
        }
      };

  LogWatch() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    appender.start();
    context.getConfiguration().getRootLogger().addAppender(appender, Level.ALL, null);
    context.updateLoggers();
  }

  /** Everything so far, after Netty has checked for buffers that were lost. */
  List<String> alarms() {
    for (int i = 0; i < 5; i++) {
      System.gc();
      // Leaks are reported when the next buffer is made.
      UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
    }
    return alarms;
  }

  @Override
  public void close() {
    context.getConfiguration().getRootLogger().removeAppender("watch");
    context.updateLoggers();
    appender.stop();
  }
}
