// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.config.Suggestion;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes in a sentence what is wrong with a command line, and what was meant. */
final class UsageErrors {
  private static final Set<Class<?>> WHOLE =
      Set.of(int.class, Integer.class, long.class, Long.class);
  private static final Set<Class<?>> FRACTIONAL =
      Set.of(double.class, Double.class, float.class, Float.class);

  private UsageErrors() {}

  /** Prints the sentence and where to read more. Answers the exit status. */
  static int explain(ParameterException refused, String[] words) {
    CommandLine command = refused.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("mesh: " + sentence(refused));
    if (isUnknownCommand(refused)) {
      err.print("Commands:" + System.lineSeparator() + command.getHelp().commandList());
    } else {
      err.println("`./" + command.getCommandSpec().qualifiedName() + " --help` says more.");
    }
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  private static String sentence(ParameterException refused) {
    // An unknown word explains what is missing, and would go unmentioned.
    List<String> unknown = refused.getCommandLine().getUnmatchedArguments();
    if (refused instanceof UnmatchedArgumentException unmatched) {
      return unknown(refused.getCommandLine(), unmatched.getUnmatched().get(0));
    }
    if (refused instanceof MissingParameterException missing) {
      return unknown.isEmpty()
          ? missing(missing)
          : unknown(refused.getCommandLine(), unknown.get(0));
    }
    return refused.getValue() != null && refused.getArgSpec() != null
        ? unusable(refused.getArgSpec(), refused.getValue(), refused.getMessage())
        : refused.getMessage();
  }

  private static boolean isUnknownCommand(ParameterException refused) {
    return refused instanceof UnmatchedArgumentException unmatched
        && !unmatched.getUnmatched().get(0).startsWith("-")
        && !refused.getCommandLine().getSubcommands().isEmpty();
  }

  private static String unknown(CommandLine command, String word) {
    if (word.startsWith("-")) {
      String name = word.replaceFirst("=.*", "");
      return "unknown option '" + name + "'" + didYouMean(name, optionNames(command));
    }
    if (!command.getSubcommands().isEmpty()) {
      return "unknown command '" + word + "'" + didYouMean(word, command.getSubcommands().keySet());
    }
    return "'%s' is one word too many for `%s`"
        .formatted(word, command.getCommandSpec().qualifiedName());
  }

  private static List<String> optionNames(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .map(OptionSpec::longestName)
        .filter(name -> name.startsWith("--"))
        .toList();
  }

  private static String didYouMean(String word, Collection<String> known) {
    return Suggestion.of(word, List.copyOf(known))
        .map(near -> "; did you mean " + near + "?")
        .orElse("");
  }

  private static String missing(MissingParameterException refused) {
    return refused.getMissing().stream()
        .map(
            spec ->
                spec instanceof OptionSpec option
                    ? option.longestName() + " needs " + option.paramLabel() + " behind it"
                    : spec.paramLabel() + " is missing: " + String.join(" ", spec.description()))
        .collect(Collectors.joining("; "));
  }

  private static String unusable(ArgSpec spec, String value, String otherwise) {
    String name = spec instanceof OptionSpec option ? option.longestName() : spec.paramLabel();
    Class<?> type = spec.type();
    if (WHOLE.contains(type)) {
      return "%s: '%s' is not a whole number%s"
          .formatted(name, value, value.matches("-?\\d+") ? " below 2147483648" : "");
    }
    if (FRACTIONAL.contains(type)) {
      return "%s: '%s' is not a number".formatted(name, value);
    }
    if (type.isEnum()) {
      return "%s: '%s' is none of %s"
          .formatted(
              name,
              value,
              Arrays.stream(type.getEnumConstants())
                  .map(String::valueOf)
                  .collect(Collectors.joining(", ")));
    }
    return otherwise;
  }
}
