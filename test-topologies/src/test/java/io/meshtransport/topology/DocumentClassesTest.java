// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each class, and each member of a class, that a page of the project names is in the source. */
class DocumentClassesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** A class in backquotes, perhaps with a nested class or a member of it. */
  private static final Pattern NAMED =
      Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)((?:\\.\\w+)*)(?:\\([^`]*\\))?`");

  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```$");

  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");

  /**
   * An attribute of an MXBean is named after its getter, so {@code ChannelCount} stands for {@code
   * getChannelCount()}.
   */
  private static final Pattern MX_BEAN = Pattern.compile("\\binterface \\w+MXBean\\b");

  private static final Pattern ATTRIBUTE = Pattern.compile("\\b(?:get|is)([A-Z]\\w*)\\(\\)");

  /** Of the JDK, and of the libraries that this one uses. */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "AbstractSelector",
          "Arena",
          "AtomicHistogram",
          "ByteArrayDataOutputStream",
          "ByteBuffer",
          "DataOutput",
          "DistributedContext",
          "Duration",
          "EpollIoHandle",
          "IllegalArgumentException",
          "IllegalStateException",
          "IpAddress",
          "JChannel",
          "MemorySegment",
          "NetworkInterface",
          "Process",
          "ReferenceCounted",
          "SocketChannel",
          "System",
          "Thread");

  private final Map<String, List<String>> sources = new HashMap<>();
  private final Set<String> attributes = new HashSet<>();

  DocumentClassesTest() throws IOException {
    for (Path file : files("", ".java")) {
      String source = Files.readString(file);
      DECLARED
          .matcher(source)
          .results()
          .forEach(
              each -> sources.computeIfAbsent(each.group(1), any -> new ArrayList<>()).add(source));
      if (MX_BEAN.matcher(source).find()) {
        ATTRIBUTE.matcher(source).results().forEach(each -> attributes.add(each.group(1)));
      }
    }
  }

  @Test
  void shouldNameClassesAndMembersOfTheSource() throws IOException {
    List<String> unknown = new ArrayList<>();
    int named = 0;
    for (Path page : pages()) {
      Matcher name = NAMED.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""));
      while (name.find()) {
        named++;
        if (!OF_OTHERS.contains(name.group(1)) && !isThere(name.group(1), name.group(2))) {
          unknown.add(ROOT.relativize(page) + ": " + name.group());
        }
      }
    }

    assertEquals(List.of(), unknown);
    assertTrue(named > 300, "only " + named + " names were found in the pages");
  }

  /**
   * @param members as in {@code .Nested.member}, or empty
   */
  private boolean isThere(String type, String members) {
    if (members.isEmpty() && attributes.contains(type)) {
      return true;
    }
    List<String> declaring = sources.getOrDefault(type, List.of());
    return !declaring.isEmpty()
        && Stream.of(members.split("\\."))
            .filter(member -> !member.isEmpty())
            .allMatch(
                member ->
                    declaring.stream()
                        .anyMatch(
                            source ->
                                Pattern.compile("\\b" + member + "\\b").matcher(source).find()));
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(files("docs", ".md"));
    pages.addAll(files("examples", ".md"));
    try (Stream<Path> top = Files.list(ROOT)) {
      top.filter(each -> each.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages.stream().sorted().toList();
  }

  private static List<Path> files(String folder, String end) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files
          .filter(each -> each.toString().endsWith(end))
          .filter(each -> !ROOT.relativize(each).toString().matches("(.*/)?(target|\\.git)/.*"))
          .toList();
    }
  }
}
