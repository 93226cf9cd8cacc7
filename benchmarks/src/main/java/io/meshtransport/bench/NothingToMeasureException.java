package io.meshtransport.bench;

/** None of the cases that there are was wanted. Whoever chose them can choose others. */
public final class NothingToMeasureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NothingToMeasureException(String wanted) {
    super("no case is called '%s'".formatted(wanted));
  }
}
