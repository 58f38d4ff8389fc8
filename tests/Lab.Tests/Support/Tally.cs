using System.Globalization;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>What the services said at their end, all together.</summary>
internal sealed record Tally(long Sent, long Kept, long Refused, long Lost);

internal static partial class Tallies
{
    public static Tally Tally(this ObservedApplication observed)
    {
        var said = observed.Plan.AllReplicas
            .Select(it => observed.Log($"{it.Service.Name}-{it.Replica}").Select(line => Line().Match(line)))
            .Select(matches => Assert.Single(matches, match => match.Success))
            .ToList();
        return new(Sum(1), Sum(2), Sum(3), Sum(4));

        long Sum(int group) => said.Sum(match => long.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture));
    }

    [GeneratedRegex("Telemetry: (\\d+) items sent, (\\d+) kept, (\\d+) refused, (\\d+) lost")]
    private static partial Regex Line();
}
