namespace DroneDelivery.Lab.Experiments;

/// <summary>Which hosts serve a pixel that stores each hit in a table, and what the write and the logging cost.</summary>
internal static class EmulatedSite
{
    public static Task<Exhibits> EmulateAsync(Scene scene, CancellationToken cancellationToken) =>
        Task.FromResult(Emulate(scene, cancellationToken));

    private static Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        scene.Progress.Report(
            $"{knobs["load.users"]:#,0} users on {knobs["site.hosts"]} hosts, {knobs["load.ramp"]:0} s on a clock of its own");
        var result = new TrackingSite(knobs).Play(cancellationToken);
        return Exhibits.Of(scene.Variant, Figures(result)) with
        {
            Tables = [Table(scene, result)],
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

    private static ExperimentTable Table(Scene scene, SiteResult result) => new(
        scene.Variant.Title,
        $"Computed event by event. All hosts together manage {TrackingSite.CapacityOf(scene.Knobs):#,0} hits a second.",
        ["answered#", "refused#", "hosts#", "hits/s#", "best 5 s#", "mean s#", "users by Little's law#"],
        [[
            $"{result.Answered:#,0}", $"{result.Refused:#,0}", $"{scene.Knobs["site.hosts"]}", $"{result.PerSecond:#,0}",
            $"{result.Peak:#,0}", $"{result.Seconds:0.00}", $"{result.UsersInside:#,0}",
        ]]);
}
