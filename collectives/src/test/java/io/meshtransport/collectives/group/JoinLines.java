// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What the {@link JoinLog}, or another class, logs of one group while this is open. */
final class JoinLines implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final AbstractAppender appender;

  /**
   * @param group as the log has it
   */
  JoinLines(String group) {
    this(JoinLog.class, group);
  }

  JoinLines(Class<?> of, String group) {
    logger = (Logger) LogManager.getLogger(of);
    appender =
        new AbstractAppender("lines of " + group, null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            String text = event.getMessage().getFormattedMessage();
            if (text.startsWith(group + ": ")) {
              lines.add(event.getLevel() + " " + text);
            }
          }
        };
    appender.start();
    // In this order: an appender resets the level.
    logger.addAppender(appender);
    logger.setLevel(Level.ALL);
  }

  /** Each with its level before it. */
  List<String> get() {
    return lines;
  }

  @Override
  public void close() {
    logger.removeAppender(appender);
    logger.setLevel(null);
    appender.stop();
  }
}
