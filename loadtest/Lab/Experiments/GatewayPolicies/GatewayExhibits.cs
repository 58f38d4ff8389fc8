using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What each policy of a gateway costs: in requests a second, in waiting, and in rent.</summary>
internal static class GatewayExhibits
{
    private const string Tiers = "tiers";
    private static readonly double[] Rates = [500, 1000, 2000, 4000, 8000];

    public static Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        if (scene.Variant.Name == Tiers)
            return Rent(knobs);
        scene.Progress.Report(
            $"{knobs["load.users"]:#,0} users on {knobs["gateway.servers"]} servers, {knobs["load.duration"]:0} s on a clock of its own"
        );
        var result = new EmulatedGateway(knobs).Play(cancellationToken);
        return Exhibits.Of(
            scene.Variant,
            SaysOfCost(knobs),
            [
                new("requests/s", result.PerSecond, "#,0", "rps"),
                new("forwarded/s", result.ForwardedPerSecond, "#,0", "forwarded"),
                new("CPU %", result.Busy * 100, "0", "cpu"),
                new("mean s", result.MeanSeconds, "0.000", "seconds"),
                new("p50 s", result.Percentile(0.5), "0.000", "p50"),
                new("p95 s", result.Percentile(0.95), "0.000", "p95"),
                new("users / throughput − thinking, s", result.SecondsByLaw, "0.000"),
                new(null, result.MeanSeconds / result.SecondsByLaw, "", "law"),
            ],
            new("Requests that were answered", Says(result), "requests/s", [result.Answered, result.Wanted])
        );
    }

    private static string Says(GatewayResult result) =>
        result.Busy > 0.95
            ? $"The servers are busy: {result.PerSecond:#,0} a second, where the users would send "
                + $"{(int)result.Knobs["load.users"] / result.ThinkMean:#,0}."
            : $"The servers have time: the users do not send more than {result.PerSecond:#,0} a second.";

    private static string SaysOfCost(KnobValues knobs)
    {
        var cost = RequestCost.Of(knobs);
        var refused =
            knobs["request.validate"] > 0 && knobs["request.invalid"] > 0
                ? $", one that is refused {cost.RefusedMs:0.00} ms"
                : "";
        return $"Computed event by event. A request costs {cost.AcceptedMs:0.00} ms of a server{refused}.";
    }

    private static Exhibits Rent(KnobValues knobs)
    {
        var (tiers, each) = (TierTable.Of(knobs), PolicyCost.Of(knobs));
        var sets = each.Sets;
        double Euros(PolicyCost cost) => tiers.Cheapest(knobs["tier.wanted"], cost)?.Price ?? double.NaN;
        var figures = new Dictionary<string, double>
        {
            [$"{Tiers}.returnResponse"] = Euros(sets[0].Cost),
            [$"{Tiers}.forward"] = Euros(sets[1].Cost),
            [$"{Tiers}.forwardPost"] = Euros(sets[2].Cost),
            [$"{Tiers}.validate"] = Euros(sets[3].Cost),
        };
        return new(figures) { Tables = [Table(tiers, sets, knobs["tier.wanted"])], Bars = [Bars(each)] };
    }

    private static ExperimentTable Table(TierTable tiers, IReadOnlyList<PolicySet> sets, double wanted) =>
        new(
            "The cheapest rent a month",
            "Units of a tier manage what Basic was measured to, times what is published for the tier beside Basic. Prices are the article's.",
            ["requests/s#", .. sets.Select(set => set.Name)],
            [
                .. Rates
                    .Append(wanted)
                    .Distinct()
                    .Order()
                    .Select(rate =>
                        (IReadOnlyList<string>)
                            [$"{rate:#,0}", .. sets.Select(set => tiers.Cheapest(rate, set.Cost)?.ToString() ?? "none")]
                    ),
            ]
        );

    private static StackedBars Bars(PolicyCost cost) =>
        cost.Bars(
            "What each policy costs a server",
            $"With validation a request costs {cost.Total / cost.Answer:0.0} times as much as one that is answered at once.",
            "ms of CPU a request"
        );
}
