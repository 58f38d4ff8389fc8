namespace DroneDelivery.Lab.Judge;

/// <summary>What can come of a stage or a run.</summary>
internal static class Outcomes
{
    /// <summary>As expected: every band of the published stage holds, and what changed knobs imply came out.</summary>
    public const string Holds = "holds";

    /// <summary>As expected for its knobs, as far as somebody predicts what they imply; these are not those of the published stage, and
    /// neither are the figures.</summary>
    public const string Differs = "differs";

    /// <summary>What could be measured is as expected; the target has no figure for some of the checks.</summary>
    public const string Partly = "partly";

    /// <summary>Not as expected: a published band does not hold, or something else came out than changed knobs imply.</summary>
    public const string Fails = "fails";

    /// <summary>What holds whatever the knobs are does not: a message is lost, or telemetry.</summary>
    public const string Broken = "broken";

    /// <summary>Something was in the way of the measurement.</summary>
    public const string Void = "void";

    /// <summary>It did not come to its end.</summary>
    public const string Incomplete = "incomplete";

    /// <summary>For the help of verbs that end with one of them.</summary>
    public const string ExitCodes =
        "Exit code 0: as expected; 3: knobs were changed, and the run came out as predicted for them (if anything is predicted); "
        + "4: what could be measured is as expected, and some checks could not be; "
        + "1: not as expected, broken, void or incomplete.";

    /// <summary>The worst first.</summary>
    public static IReadOnlyList<string> Ordered { get; } = [Incomplete, Void, Broken, Fails, Partly, Differs, Holds];

    /// <returns>Incomplete where there is none.</returns>
    public static string Worst(IEnumerable<string> outcomes) => Ordered.FirstOrDefault(outcomes.Contains, Incomplete);

    public static ExitCode ExitCodeOf(string outcome) =>
        outcome switch
        {
            Holds => ExitCode.Held,
            Differs => ExitCode.Differs,
            Partly => ExitCode.Partly,
            _ => ExitCode.Failed,
        };

    /// <summary>As people say it.</summary>
    public static string Say(string outcome) =>
        outcome switch
        {
            Holds => "as expected",
            Differs => "as expected for its knobs, and so not as published",
            Partly => "partly measured, and as expected so far",
            Fails => "not as expected",
            _ => outcome,
        };
}
