using System.CommandLine;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Commands;

/// <summary>Options that more than one verb has.</summary>
internal static class Options
{
    public static Option<string[]> Set() => new("--set")
    {
        HelpName = "KNOB=VALUE",
        Description = "Turn a knob; may be given again. Values are those of a full-length run.",
        DefaultValueFactory = _ => [],
    };

    public static Option<string[]> Replicas() => new("--replicas")
    {
        HelpName = "SERVICE=N,…",
        Description = "Processes of a service: workflow=3,package=2. Short for --set workflow.replicas=3 …",
        DefaultValueFactory = _ => [],
    };

    public static Option<string?> Environment(string otherwise) => new("--environment")
    {
        HelpName = "NAME",
        Description = $"What is emulated: a file of loadtest/environments, or none. [default: {otherwise}]",
    };

    public static Option<int> PortOffset()
    {
        var option = new Option<int>("--port-offset") { HelpName = "N", Description = "Moves all ports by N (broker 5672, services 5100 to 5519, Redis 6390)." };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is < 0 or > Ports.MaxOffset)
                result.AddError($"--port-offset has to be from 0 to {Ports.MaxOffset}.");
        });
        return option;
    }

    public static Option<int> Seed() => new("--seed") { HelpName = "N", Description = "Seed of everything random.", DefaultValueFactory = _ => 1 };

    public static Option<bool> Json(string what) => new("--json") { Description = what };

    /// <summary>The knobs of <c>--set</c> and <c>--replicas</c>.</summary>
    public static KnobSet Knobs(string[] set, string[] replicas) =>
        KnobSet.Parse(set).With(KnobSet.Parse(replicas.SelectMany(list => list.Split(',')).Select(pair => pair.Replace("=", ".replicas=", StringComparison.Ordinal))));
}
