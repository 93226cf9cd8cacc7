// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs where {@link RealDevice} was chosen, and elsewhere is skipped with the reason. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("rdma-device")
@ExtendWith(NeedsRdmaDevice.Condition.class)
@interface NeedsRdmaDevice {
  /** Makes the choice. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return RealDevice.chosen()
          .map(name -> ConditionEvaluationResult.enabled("on " + name))
          .orElseGet(() -> ConditionEvaluationResult.disabled(RealDevice.howToChoose()));
    }
  }
}
