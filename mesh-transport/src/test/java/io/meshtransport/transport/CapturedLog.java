// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What one class logs, at whatever level, while this is open. */
final class CapturedLog implements AutoCloseable {
  /** One line of it. */
  record Line(Level level, String text) {}

  private final List<Line> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final AbstractAppender appender =
      new AbstractAppender("captured", null, null, true, Property.EMPTY_ARRAY) {
        @Override
        public void append(LogEvent event) {
          lines.add(new Line(event.getLevel(), event.getMessage().getFormattedMessage()));
        }
      };

  CapturedLog(Class<?> of) {
    logger = (Logger) LogManager.getLogger(of);
    appender.start();
    // In this order: an appender resets the level.
    logger.addAppender(appender);
    logger.setLevel(Level.ALL);
  }

  List<Line> lines() {
    return lines;
  }

  @Override
  public void close() {
    logger.removeAppender(appender);
    logger.setLevel(null);
    appender.stop();
  }
}
