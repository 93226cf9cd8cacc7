// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/**
 * A member's log: lines on the error stream, from {@code -Dlog.level} on, INFO by default; and a
 * count of all at WARN and above. Any thread.
 */
final class MemberLog extends AbstractAppender {
  private static final int LINES = 100;

  private final Map<String, MemberEvent.LogLine> lines = new LinkedHashMap<>();

  private MemberLog() {
    super("member", null, null, true, Property.EMPTY_ARRAY);
  }

  /** Captures the log of this JVM; called before anything logs. */
  static MemberLog begin() {
    Level level = Level.toLevel(System.getProperty("log.level"), Level.INFO);
    ConfigurationBuilder<BuiltConfiguration> builder =
        ConfigurationBuilderFactory.newConfigurationBuilder().setStatusLevel(Level.WARN);
    builder.add(
        builder
            .newAppender("console", "Console")
            .addAttribute("target", "SYSTEM_ERR")
            .add(
                builder
                    .newLayout("PatternLayout")
                    .addAttribute(
                        "pattern", "%d{HH:mm:ss.SSS} %-5level %logger{1} %message%n%throwable")));
    builder.add(builder.newRootLogger(level).add(builder.newAppenderRef("console")));
    LoggerContext context = Configurator.initialize(builder.build());
    MemberLog log = new MemberLog();
    log.start();
    context.getConfiguration().getRootLogger().addAppender(log, Level.WARN, null);
    return log;
  }

  @Override
  public synchronized void append(LogEvent event) {
    MemberEvent.LogLine line = line(event, 1);
    String kind =
        line.level() + line.logger() + line.text().replaceAll("[0-9a-f.:-]{2,}|[0-9]", "#");
    MemberEvent.LogLine first = lines.get(kind);
    if (first != null) {
      lines.put(
          kind,
          new MemberEvent.LogLine(first.level(), first.logger(), first.text(), first.count() + 1));
    } else if (lines.size() < LINES) {
      lines.put(kind, line);
    }
  }

  private static MemberEvent.LogLine line(LogEvent event, long count) {
    String text = event.getMessage().getFormattedMessage();
    String thrown = event.getThrown() == null ? "" : ": " + event.getThrown();
    return new MemberEvent.LogLine(
        event.getLevel().name(), event.getLoggerName(), text + thrown, count);
  }

  synchronized List<MemberEvent.LogLine> lines() {
    return new ArrayList<>(lines.values());
  }
}
