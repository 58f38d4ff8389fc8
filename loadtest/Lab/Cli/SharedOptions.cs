using System.CommandLine;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>Options that more than one verb has.</summary>
internal static class SharedOptions
{
    public const int DefaultSeed = 1;

    public static Option<string[]> Set() => OptionOf.Texts(
        "--set", "KNOB=VALUE", "Set a knob. Can be repeated. Give the value for the full length; "
            + "a shortened run divides the knobs marked * in `./lab run --help`.");

    public static Option<string[]> Replicas() => OptionOf.Texts(
        "--replicas", "SERVICE=N,…", "Number of processes: workflow=3,package=2. Short for --set workflow.replicas=3 …");

    public static Option<string[]> With() => OptionOf.Texts(
        "--with", "SERVICE,…", "Also run gateway (in front of Ingestion) or tracking (its table storage needs Node.js).");

    public static IReadOnlyList<Service> Services(IReadOnlyList<string> with)
    {
        const StringSplitOptions NamesOnly = StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries;
        var names = with.SelectMany(list => list.Split(',', NamesOnly)).ToList();
        if (names.Find(name => names.Count(it => it == name) > 1) is { } twice)
            throw new BadInputException($"--with names {twice} twice: it runs once.");
        var wanted = names.ConvertAll(name => Nearest.Named("one of the services of --with", name, Service.Optional, it => it.Name));
        return [.. Service.Optional.Where(wanted.Contains)];
    }

    public static Option<string?> Environment(string otherwise) => OptionOf.Text(
        "--environment", "NAME|FILE",
        "Environment: the name of a file in loadtest/environments, a file (.json) that `calibrate` wrote, or none. "
            + $"[default: {otherwise}]");

    public static Option<string> Driver(string description, params string[] more)
    {
        var driver = new Option<string>("--driver") { Description = description, DefaultValueFactory = _ => LoadDrivers.Automatic };
        driver.AcceptOnlyFromAmong([LoadDrivers.Automatic, LoadDrivers.K6, LoadDrivers.Own, .. more]);
        return driver;
    }

    public static Option<int> PortOffset() =>
        OptionOf.WholeNumber(
            "--port-offset", 0, 0, Ports.MaxOffset,
            "Move all ports by N (broker 5672, services 5100 to 5719, live page 5080, Redis 6390, Azurite 10002).");

    public static Option<bool> Dashboard(string more = "") => OptionOf.Flag(
        "--dashboard", $"Also start the Aspire dashboard (port 18888): traces, metrics and logs as they come.{more}");

    public static Option<int> Seed() => OptionOf.WholeNumber("--seed", DefaultSeed, 0, int.MaxValue, "Seed of all random numbers.");

    public static Option<string> Prices() => OptionOf.Text(
        "--prices", "NAME", "Prices: the name of a file in loadtest/prices, which you may edit.", PriceFile.Default);

    public static Option<string?> Database() =>
        OptionOf.Text("--database", "NAME", "Size of the database in the prices. [default: the first]");

    public static KnobSet Knobs(IReadOnlyList<string> set, IReadOnlyList<string> replicas) =>
        KnobSet.Parse(set).With(KnobSet.Parse(replicas
            .SelectMany(list => list.Split(','))
            .Select(pair => pair.Replace("=", ".replicas=", StringComparison.Ordinal))));
}
