using System.CommandLine;
using System.Globalization;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Planning;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <summary>Options that more than one verb has.</summary>
internal static class SharedOptions
{
    public const int DefaultSeed = 1;

    public static Option<string[]> Set() => new("--set")
    {
        HelpName = "KNOB=VALUE",
        Description = "Set a knob. Can be repeated. Give the value for the full length; "
            + "a shortened run divides the knobs marked * in `./lab run --help`.",
        DefaultValueFactory = _ => [],
    };

    public static Option<string[]> Replicas() => new("--replicas")
    {
        HelpName = "SERVICE=N,…",
        Description = "Number of processes: workflow=3,package=2. Short for --set workflow.replicas=3 …",
        DefaultValueFactory = _ => [],
    };

    public static Option<string[]> With() => new("--with")
    {
        HelpName = "SERVICE,…",
        Description = "Also run gateway (in front of Ingestion) or tracking (its table storage needs Node.js).",
        DefaultValueFactory = _ => [],
    };

    /// <summary>The services of <c>--with</c>.</summary>
    /// <exception cref="BadInputException">One of them is not optional, or is named twice.</exception>
    public static IReadOnlyList<Service> Services(IReadOnlyList<string> with)
    {
        const StringSplitOptions NamesOnly = StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries;
        var names = with.SelectMany(list => list.Split(',', NamesOnly)).ToList();
        if (names.Find(name => names.Count(it => it == name) > 1) is { } twice)
            throw new BadInputException($"--with names {twice} twice: it runs once.");
        var wanted = names.ConvertAll(name => Nearest.Named("one of the services of --with", name, Service.Optional, it => it.Name));
        return [.. Service.Optional.Where(wanted.Contains)];
    }

    public static Option<string?> Environment(string otherwise) => new("--environment")
    {
        HelpName = "NAME|FILE",
        Description = $"Environment: the name of a file in loadtest/environments, a file (.json) that `calibrate` wrote, or none. "
            + $"[default: {otherwise}]",
    };

    public static Option<bool> Full() => new("--full") { Description = "Play the full published length instead of an eighth of it." };

    public static Option<int> K() => WholeNumber(
        "--k", (int)RunOptions.Quick, 1, 16, "Divide every duration and every stock (messages, prefetch, memory) by N.");

    public static Option<string> Driver(string description)
    {
        var driver = new Option<string>("--driver") { Description = description, DefaultValueFactory = _ => LoadDrivers.Automatic };
        driver.AcceptOnlyFromAmong(LoadDrivers.Automatic, LoadDrivers.K6, LoadDrivers.Own);
        return driver;
    }

    public static Option<int> PortOffset() =>
        WholeNumber(
            "--port-offset", 0, 0, Ports.MaxOffset,
            "Move all ports by N (broker 5672, services 5100 to 5719, live page 5080, Redis 6390, Azurite 10002).");

    public static Option<int> Seed() => WholeNumber("--seed", DefaultSeed, 0, int.MaxValue, "Seed of all random numbers.");

    public static Option<string> Prices() => new("--prices")
    {
        HelpName = "NAME",
        Description = "Prices: the name of a file in loadtest/prices, which you may edit.",
        DefaultValueFactory = _ => PriceFile.Default,
    };

    public static Option<string?> Database() => new("--database")
    {
        HelpName = "NAME",
        Description = "Size of the database in the prices. [default: the first]",
    };

    /// <summary>An option that takes a whole number; anything else, or one out of range, is refused with what would do.</summary>
    public static Option<int> WholeNumber(
        string name, int otherwise, int min, int max, string description, params string[] aliases) =>
        new(name, aliases)
        {
            HelpName = "N",
            Description = description,
            DefaultValueFactory = _ => otherwise,
            CustomParser = result =>
            {
                if (int.TryParse(result.Tokens[0].Value, CultureInfo.InvariantCulture, out var value) && value >= min && value <= max)
                    return value;
                result.AddError($"{name} {result.Tokens[0].Value}: expected a whole number from {min} to {max}.");
                return otherwise;
            },
        };

    public static Option<bool> Json(string what) => new("--json") { Description = what };

    /// <summary>The knobs of <c>--set</c> and <c>--replicas</c>.</summary>
    public static KnobSet Knobs(IReadOnlyList<string> set, IReadOnlyList<string> replicas) =>
        KnobSet.Parse(set).With(KnobSet.Parse(replicas
            .SelectMany(list => list.Split(','))
            .Select(pair => pair.Replace("=", ".replicas=", StringComparison.Ordinal))));
}
