// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import io.meshtransport.cli.doctor.Ailment.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Whether the rules of this host's firewall drop what the library sends, as far as a reader of
 * single lines can say: a rule that names a port and drops it does; a policy that drops may, unless
 * a rule accepts the port.
 */
public final class Firewall {
  private static final Pattern REFUSAL = Pattern.compile("\\b(drop|reject)\\b");
  private static final Pattern ACCEPTANCE = Pattern.compile("\\baccept\\b");
  private static final Pattern POLICY =
      Pattern.compile("-p input drop|hook input [^\\n]*policy drop");
  private static final List<List<String>> LISTINGS =
      List.of(
          List.of("nft", "list", "ruleset"), List.of("iptables", "-S"), List.of("ip6tables", "-S"));

  private Firewall() {}

  /** A port that the library receives at. */
  public record Port(String protocol, int number, String purpose) {}

  /** The rules of this host; empty where none can be read, for lack of rights or of a program. */
  public static List<String> rules() {
    List<String> rules = new ArrayList<>();
    for (List<String> each : LISTINGS) {
      list(each).ifPresent(rules::add);
    }
    return rules;
  }

  private static Optional<String> list(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? Optional.of(text) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * What is dropped.
   *
   * @param rules as nft and iptables print them
   */
  public static List<Ailment> of(List<String> rules, List<Port> ports) {
    List<Ailment> found = new ArrayList<>();
    for (String listing : rules) {
      String text = listing.toLowerCase(Locale.ROOT);
      for (Port port : ports) {
        Optional<String> drop =
            text.lines()
                .filter(line -> names(line, port) && REFUSAL.matcher(line).find())
                .findFirst();
        boolean isAccepted =
            text.lines().anyMatch(line -> names(line, port) && ACCEPTANCE.matcher(line).find());
        if (drop.isPresent()) {
          found.add(ailment(Severity.BLOCKS, port, "a rule drops it: " + drop.get().strip()));
        } else if (POLICY.matcher(text).find() && !isAccepted) {
          found.add(
              ailment(Severity.WARNS, port, "the policy is to drop, and no rule names this port"));
        }
      }
    }
    return found;
  }

  private static Ailment ailment(Severity severity, Port port, String what) {
    return new Ailment(
        severity,
        "firewall, %s port %d".formatted(port.protocol().toUpperCase(Locale.ROOT), port.number()),
        what,
        "The port is for %s.".formatted(port.purpose()),
        "Accept it on the interfaces of cables, for example `nft insert rule inet filter input %s dport %d accept`."
            .formatted(port.protocol(), port.number()));
  }

  /** Whether a rule is about a port; in ranges and sets too. */
  private static boolean names(String line, Port port) {
    return Pattern.compile("\\b" + port.protocol() + "\\b").matcher(line).find()
        && line.contains("dport")
        && Pattern.compile("\\d+(?:[:-]\\d+)?")
            .matcher(line.substring(line.indexOf("dport")))
            .results()
            .anyMatch(each -> covers(each.group(), port.number()));
  }

  private static boolean covers(String range, int port) {
    String[] bounds = range.split("[:-]");
    if (bounds[0].length() > 5 || bounds[bounds.length - 1].length() > 5) {
      return false;
    }
    return Integer.parseInt(bounds[0]) <= port
        && port <= Integer.parseInt(bounds[bounds.length - 1]);
  }
}
