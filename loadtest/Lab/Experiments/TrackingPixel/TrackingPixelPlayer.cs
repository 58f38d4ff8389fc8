namespace DroneDelivery.Lab.Experiments;

/// <summary>Which hosts serve a pixel that stores each hit in a table, and what the write and the logging cost.</summary>
internal sealed class TrackingPixelPlayer : IExperimentPlayer
{
    public void RequireMachine(Variant variant, KnobValues knobs, ExperimentPlace place)
    {
        if (variant.Arm == Arm.Real)
            RealTracking.RequireMachine(place);
    }

    public Task<Exhibits> PlayAsync(
        Variant variant, KnobValues knobs, ExperimentPlace place, IProgress<string> progress, CancellationToken cancellationToken) =>
        variant.Arm == Arm.Real
            ? RealTracking.MeasureAsync(knobs, place, progress, cancellationToken)
            : Task.FromResult(Emulate(variant, knobs, progress, cancellationToken));

    private static Exhibits Emulate(Variant variant, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        var settings = SiteSettings.Of(knobs);
        progress.Report($"{settings.Users:#,0} users on {settings.Hosts} hosts, {settings.RampSeconds:0} s on a clock of its own");
        var result = TrackingSite.Play(settings, cancellationToken);
        return new(Figures(result).ToDictionary(figure => $"{variant.Name}.{figure.Key}", figure => figure.Value))
        {
            Tables = [Table(variant, settings, result)],
            Charts = [new("Hits that were answered", Says(result), "hits/s", [result.Throughput])],
        };
    }

    private static string Says(SiteResult result) => $"{result.Refused:#,0} were refused; {result.Peak:0} a second at best.";

    private static Dictionary<string, double> Figures(SiteResult result) => new()
    {
        ["rps"] = result.PerSecond,
        ["peak"] = result.Peak,
        ["failed"] = result.Refused,
        ["seconds"] = result.Seconds,
        ["usersInside"] = result.UsersInside,
    };

    private static ExperimentTable Table(Variant variant, SiteSettings settings, SiteResult result) => new(
        variant.Title, $"Computed event by event. All hosts together manage {settings.Capacity:#,0} hits a second.",
        ["answered#", "refused#", "hosts#", "hits/s#", "best 5 s#", "mean s#", "users by Little's law#"],
        [[
            $"{result.Answered:#,0}", $"{result.Refused:#,0}", $"{settings.Hosts}", $"{result.PerSecond:#,0}", $"{result.Peak:#,0}",
            $"{result.Seconds:0.00}", $"{result.UsersInside:#,0}",
        ]]);
}
