// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.Optional;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * A recording of this JVM by its own profiler, if one is wanted. The caller that started it closes
 * it. One thread.
 */
public final class FlightRecording implements AutoCloseable {
  private final Optional<Recording> recording;
  private final Optional<Path> file;

  private FlightRecording(Optional<Recording> recording, Optional<Path> file) {
    this.recording = recording;
    this.file = file;
  }

  /**
   * @param file to be written; its folder exists
   */
  public static FlightRecording start(Optional<Path> file) {
    if (file.isEmpty()) {
      return new FlightRecording(Optional.empty(), file);
    }
    Recording recording = new Recording(profiling());
    // Much of what a message costs is spent in the kernel, which no sample of Java's stack shows;
    // the threads it is spent for do.
    recording.enable("jdk.ThreadCPULoad").withPeriod(Duration.ofSeconds(1));
    recording.start();
    return new FlightRecording(Optional.of(recording), file);
  }

  private static Configuration profiling() {
    try {
      return Configuration.getConfiguration("profile");
    } catch (IOException e) {
      throw new UncheckedIOException("this JDK has no settings 'profile' for its recorder", e);
    } catch (ParseException e) {
      throw new IllegalStateException("this JDK's settings 'profile' are not understood", e);
    }
  }

  /** Ends the recording and writes the file. */
  public void write() {
    if (recording.isPresent()) {
      recording.get().stop();
      try {
        recording.get().dump(file.orElseThrow());
      } catch (IOException e) {
        throw new UncheckedIOException("the recording " + file.orElseThrow(), e);
      }
    }
  }

  @Override
  public void close() {
    recording.ifPresent(Recording::close);
  }
}
