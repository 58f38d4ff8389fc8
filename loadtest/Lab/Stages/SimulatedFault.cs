using System.Globalization;
using System.Text.RegularExpressions;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Stages;

/// <summary>
/// What goes wrong in a run or a simulation, as it is typed: <c>kill workflow-1 at 20s for 5s</c>, <c>slow delivery x10 at 20s</c>,
/// <c>fail package 30% at 20s</c>, <c>fill redis at 20s for 10s</c>, <c>pause broker at 20s for 5s</c>. Times are those of full length.
/// </summary>
internal sealed partial record SimulatedFault(string Text, string What, string Whom, int Replica, double Factor, double At, double? Lasts)
{
    /// <summary>Of the answers that fail: 0 to 1.</summary>
    public double Share { get; private init; }

    private bool IsOfBackends => Service.Backends.Any(service => service.Name == Whom);

    public const string Grammar =
        "'kill SERVICE[-REPLICA] at TIME [for TIME]', 'slow SERVICE xN at TIME [for TIME]' (SERVICE may be broker), "
        + "'fail SERVICE N% at TIME [for TIME]', 'fill redis at TIME [for TIME]' or 'pause broker|redis at TIME for TIME'";

    public const string Kill = "kill", Slow = "slow", Fail = "fail", Fill = "fill", Pause = "pause", Broker = "broker";

    private const string Redis = "redis";

    private static readonly Knob Time = new("at", KnobUnit.Seconds, 0, 7200, "", "lab"), Length = Time with { Name = "for" };

    /// <exception cref="BadInputException">Not in that form; the message says what would do.</exception>
    public static SimulatedFault Parse(string text)
    {
        var match = Form().Match(text.Trim());
        if (!match.Success)
            throw new BadInputException($"--fault '{text}': expected {Grammar}.");
        var fault = new SimulatedFault(
            text.Trim(),
            match.Groups["what"].Value,
            match.Groups["whom"].Value,
            match.Groups["replica"].Success ? int.Parse(match.Groups["replica"].Value, CultureInfo.InvariantCulture) : 0,
            match.Groups["factor"].Success ? double.Parse(match.Groups["factor"].Value, CultureInfo.InvariantCulture) : 1,
            Time.Parse(match.Groups["at"].Value).Number,
            match.Groups["for"].Success ? Length.Parse(match.Groups["for"].Value).Number : null)
        {
            Share = match.Groups["share"].Success ? double.Parse(match.Groups["share"].Value, CultureInfo.InvariantCulture) / 100 : 0,
        };
        if (fault.Why(match) is { } why)
            throw new BadInputException($"--fault '{text}': {why}");
        _ = fault.Whom is Broker or Redis ? null : ServiceOf(fault.Whom);
        return fault;
    }

    /// <summary>Those of a stage as the model is told them.</summary>
    /// <exception cref="BadInputException">One does not fit the stage, or two of one kind overlap.</exception>
    public static IReadOnlyList<Fault> Of(StagePlan plan)
    {
        List<SimulatedFault> faults = [.. plan.Options.Faults.OrderBy(fault => fault.At)];
        foreach (var (fault, next) in faults.SelectMany((fault, i) => faults.Skip(i + 1).Select(next => (fault, next))))
        {
            if ((fault.What, fault.Whom, fault.Replica) == (next.What, next.Whom, next.Replica) && next.At < fault.End)
                throw new BadInputException($"--fault '{next.Text}' begins before '{fault.Text}' is over: make one of them.");
        }

        return faults.ConvertAll(fault => fault.For(plan));
    }

    private double End => At + (Lasts ?? double.PositiveInfinity);

    private Fault For(StagePlan plan)
    {
        SimulatedScaling.RequireIn(plan, At, $"--fault '{Text}'");
        var then = plan with { Knobs = SimulatedScaling.KnobsAt(plan, At) };
        var replicas = Whom is Broker or Redis ? 1 : ServiceOf(Whom).Replicas(then.Knobs);
        if (Replica >= replicas)
        {
            throw new BadInputException(
                $"--fault '{Text}': stage {plan.Stage.Id} has {replicas} replicas of {Whom} then, counted from 0.");
        }

        return new(Kind, At / plan.K, Lasts is { } length ? (At + length) / plan.K : double.PositiveInfinity)
        {
            Service = IndexOf(Whom),
            Replica = Replica,
            Factor = Factor,
            Share = Share,
        };
    }

    private string? Why(Match match)
    {
        var (hasReplica, hasFactor) = (match.Groups["replica"].Success, match.Groups["factor"].Success);
        return What switch
        {
            not Fail when match.Groups["share"].Success => "only what fails has a share.",
            Kill when Whom is Broker or Redis =>
                "only a replica of a service can be killed; the broker can be paused, and Redis filled.",
            Kill when hasFactor => "only what is slow has a factor.",
            Slow when Whom != Broker && !IsOfBackends =>
                $"the model has answers of {Broker}, {string.Join(", ", Service.Backends.Select(service => service.Name))}.",
            Fail when !IsOfBackends || hasReplica || hasFactor =>
                $"only {string.Join(", ", Service.Backends.Select(service => service.Name))} can fail, all replicas alike.",
            Fail when Share is <= 0 or > 1 => "expected a share from 1% to 100%, for example 30%.",
            Slow when !hasFactor || Factor is < 0.01 or > 1000 => "expected x and a factor from 0.01 to 1000, for example x10.",
            Slow when hasReplica => "all replicas of a service are slow: leave the number out.",
            Fill when Whom != Redis || hasReplica || hasFactor => "only redis can be filled: fill redis at 20s.",
            Pause when Whom is not (Broker or Redis) || hasReplica || hasFactor =>
                "only the broker and Redis can be paused: pause broker at 20s for 5s.",
            Pause when Lasts is null => "a pause has to end: add for and a time.",
            _ when Lasts == 0 => "for has to be longer than 0s.",
            _ => null,
        };
    }

    private FaultKind Kind => What switch
    {
        Kill => FaultKind.Kill,
        Slow => FaultKind.Slow,
        Fail => FaultKind.Fail,
        Fill => FaultKind.FillCache,
        _ => Whom == Redis ? FaultKind.PauseCache : FaultKind.PauseBroker,
    };

    private static int IndexOf(string whom) => whom switch
    {
        Redis => 0,
        Broker => Fault.Broker,
        _ when whom == Service.Ingestion.Name => Fault.Ingestion,
        _ when whom == Service.Workflow.Name => Fault.Workflow,
        _ => Service.Backends.ToList().FindIndex(service => service.Name == whom),
    };

    private static Service ServiceOf(string whom) => Nearest.Named("a service", whom, Service.All, service => service.Name);

    [GeneratedRegex(
        @"^(?<what>kill|slow|fail|fill|pause)\s+(?<whom>[a-z]+)(-(?<replica>\d{1,3}))?(\s+x(?<factor>\d{1,6}(\.\d{1,3})?))?"
            + @"(\s+(?<share>\d{1,3}(\.\d{1,3})?)%)?\s+at\s+(?<at>\S+)(\s+for\s+(?<for>\S+))?$",
        RegexOptions.ExplicitCapture)]
    private static partial Regex Form();
}

/// <summary>Other knobs from a moment on, as they are typed: <c>workflow.replicas=6,nodes.count=12 at 240s</c>.</summary>
internal sealed record SimulatedScaling(string Text, KnobSet Knobs, double At)
{
    public const string Grammar = "'KNOB=N[,KNOB=N…] at TIME' with nodes.count and replicas";

    private static readonly Knob Time = new("at", KnobUnit.Seconds, 0, 7200, "", "lab");

    /// <exception cref="BadInputException">Not in that form, or a knob that does not change while a stage is played.</exception>
    public static SimulatedScaling Parse(string text)
    {
        if (text.Split(" at ", StringSplitOptions.TrimEntries) is not [var knobs, var at])
            throw new BadInputException($"--scale '{text}': expected {Grammar}.");
        var set = KnobSet.Parse(knobs.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
        var other = set.All.Select(it => it.Knob.Name)
            .FirstOrDefault(name => name != "nodes.count" && !name.EndsWith(".replicas", StringComparison.Ordinal));
        return other is null && !set.IsEmpty
            ? new(text.Trim(), set, Time.Parse(at).Number)
            : throw new BadInputException($"--scale '{text}': {other ?? "nothing"} cannot change; expected {Grammar}.");
    }

    /// <summary>The knobs of a stage at a moment of its full length.</summary>
    public static KnobSet KnobsAt(StagePlan plan, double at) => plan.Options.Scalings.OrderBy(scaling => scaling.At)
        .TakeWhile(scaling => scaling.At <= at)
        .Aggregate(plan.Knobs, (knobs, scaling) => knobs.With(scaling.Knobs));

    /// <exception cref="BadInputException">The stage is over by then.</exception>
    public void RequireIn(StagePlan plan) => RequireIn(plan, At, $"--scale '{Text}'");

    /// <param name="at">Seconds at full length.</param>
    public static void RequireIn(StagePlan plan, double at, string what)
    {
        if (at >= plan.TotalSeconds * plan.K)
            throw new BadInputException($"{what}: stage {plan.Stage.Id} is over after {plan.TotalSeconds * plan.K:0} s.");
    }
}
