namespace DroneDelivery.Lab.Judge;

internal static class Outcomes
{
    /// <summary>Every check of the published stage passes, and changed settings had the predicted effect.</summary>
    public const string Holds = "holds";

    /// <summary>As expected for changed settings; not comparable with the published stage.</summary>
    public const string Differs = "differs";

    /// <summary>Everything measured is as expected, but the target doesn't provide all metrics.</summary>
    public const string Partly = "partly";

    /// <summary>A check of the published stage fails, or changed settings had another effect than predicted.</summary>
    public const string Fails = "fails";

    /// <summary>A requirement for all settings is violated, such as that no message is lost.</summary>
    public const string Broken = "broken";

    /// <summary>The measurement was disturbed.</summary>
    public const string Void = "void";

    public const string Incomplete = "incomplete";

    public const string ExitCodes =
        "Exit code 0: as expected; 3: knobs were changed, and the results match their prediction, if any; "
        + "4: everything measured is as expected, but some checks could not be evaluated; "
        + "1: not as expected, broken, void or incomplete.";

    public static IReadOnlyList<string> Ordered { get; } = [Incomplete, Void, Broken, Fails, Partly, Differs, Holds];

    /// <returns>The worst outcome; incomplete if there is none.</returns>
    public static string Worst(IEnumerable<string> outcomes) => Ordered.FirstOrDefault(outcomes.Contains, Incomplete);

    public static ExitCode ExitCodeOf(string outcome) =>
        outcome switch
        {
            Holds => ExitCode.Held,
            Differs => ExitCode.Differs,
            Partly => ExitCode.Partly,
            _ => ExitCode.Failed,
        };

    public static string Say(string outcome) =>
        outcome switch
        {
            Holds => "as expected",
            Differs => "as expected for its knobs, but not as published",
            Partly => "partly measured, and as expected so far",
            Fails => "not as expected",
            _ => outcome,
        };
}
