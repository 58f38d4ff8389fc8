using System.Globalization;
using System.Text.RegularExpressions;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Stages;

/// <summary>What goes wrong in a stage, as it is typed: <c>kill workflow-1 at 20s for 5s</c>. Times are those of full length.</summary>
/// <param name="Factor">So many times as slow; of a fault that slows nothing 1.</param>
/// <param name="Share">Of the answers that fail: 0 to 1.</param>
/// <param name="Lasts">Seconds; null: until the stage ends.</param>
internal sealed partial record StageFault(
    string Text,
    string What,
    string Whom,
    int Replica,
    double Factor,
    double Share,
    double At,
    double? Lasts
)
{
    public const string Grammar =
        "'kill SERVICE[-REPLICA] at TIME [for TIME]', 'slow BACKEND|broker xN at TIME [for TIME]', 'fail BACKEND N% at TIME [for TIME]', "
        + "'fill redis at TIME [for TIME]' or 'pause broker|redis at TIME for TIME', where BACKEND is "
        + Backends
        + " (only `./lab simulate` supports `slow broker`)";

    public const string Kill = "kill",
        Slow = "slow",
        Fail = "fail",
        Fill = "fill",
        Pause = "pause",
        Broker = "broker";
    private const string Redis = "redis",
        Backends = "package|dronescheduler|delivery";

    private static readonly Knob Time = new("at", KnobUnit.Seconds, 0, 7200, "", "lab"),
        Length = Time with { Name = "for", Min = 0.001 },
        Times = new("x", KnobUnit.Ratio, 0.01, 1000, "", "lab"),
        Percent = Times with { Name = "%", Min = 1, Max = 100 };

    public static StageFault Parse(string text)
    {
        var match = Form().Match(text.Trim());
        if (!match.Success)
            throw new BadInputException($"--fault '{text}': expected {Grammar}.");
        var (what, whom) = (match.Groups["what"].Value, match.Groups["whom"].Value);
        _ = whom is Broker or Redis && what != Kill ? null : ServiceOf(whom);
        return new(
            text.Trim(),
            what,
            whom,
            (int)(Read("replica") ?? 0),
            Read("factor", Times) ?? 1,
            (Read("share", Percent) ?? 0) / 100,
            Read("at", Time)!.Value,
            Read("for", Length)
        );

        double? Read(string group, Knob? knob = null) =>
            match.Groups[group] is not { Success: true, Value: var value } ? null
            : knob is null ? int.Parse(value, CultureInfo.InvariantCulture)
            : knob.Parse(value).Number;
    }

    /// <summary>Those of a stage as the model is told them.</summary>
    public static IReadOnlyList<Fault> Of(StagePlan plan)
    {
        List<StageFault> faults = [.. plan.Options.Faults.OrderBy(fault => fault.At)];
        foreach (var (fault, next) in faults.SelectMany((fault, i) => faults.Skip(i + 1).Select(next => (fault, next))))
        {
            if (
                (fault.What, fault.Whom, fault.Replica) == (next.What, next.Whom, next.Replica)
                && next.At < fault.At + (fault.Lasts ?? double.PositiveInfinity)
            )
            {
                throw new BadInputException(
                    $"--fault '{next.Text}' begins before '{fault.Text}' is over: make one of them."
                );
            }
        }
        return faults.ConvertAll(fault => fault.For(plan));
    }

    private Fault For(StagePlan plan)
    {
        if (At >= plan.TotalSeconds * plan.K)
        {
            throw new BadInputException(
                $"--fault '{Text}': stage {plan.Stage.Id} is over after {plan.TotalSeconds * plan.K:0} s."
            );
        }

        var replicas = Whom is Broker or Redis ? 1 : ServiceOf(Whom).Replicas(plan.Knobs);
        if (Replica >= replicas)
        {
            throw new BadInputException(
                $"--fault '{Text}': stage {plan.Stage.Id} has {replicas} replicas of {Whom}, counted from 0."
            );
        }

        return new(Kind, At / plan.K, Lasts is { } length ? (At + length) / plan.K : double.PositiveInfinity)
        {
            Service = IndexOf(Whom),
            Replica = Replica,
            Factor = Factor,
            Share = Share,
            CacheTimeoutSeconds = plan.Knobs.Number("redis.operationTimeout"),
        };
    }

    private FaultKind Kind =>
        What switch
        {
            Kill => FaultKind.Kill,
            Slow => FaultKind.Slow,
            Fail => FaultKind.Fail,
            Fill => FaultKind.FillCache,
            _ => Whom == Redis ? FaultKind.PauseCache : FaultKind.PauseBroker,
        };

    private static int IndexOf(string whom) =>
        whom switch
        {
            Redis => 0,
            Broker => Fault.Broker,
            _ when whom == Service.Ingestion.Name => Fault.Ingestion,
            _ when whom == Service.Workflow.Name => Fault.Workflow,
            _ => Service.Backends.ToList().FindIndex(service => service.Name == whom),
        };

    private static Service ServiceOf(string whom) =>
        Nearest.Named("a service", whom, Service.All, service => service.Name);

    [GeneratedRegex(
        @"^((?<what>kill)\s+(?<whom>[a-z]+)(-(?<replica>\d{1,3}))?"
            + $@"|(?<what>slow)\s+(?<whom>broker|{Backends})\s+x(?<factor>\S+)"
            + $@"|(?<what>fail)\s+(?<whom>{Backends})\s+(?<share>\S+)%"
            + @"|(?<what>fill)\s+(?<whom>redis)"
            + @"|(?<what>pause)\s+(?<whom>broker|redis)(?=.*\sfor\s))"
            + @"\s+at\s+(?<at>\S+)(\s+for\s+(?<for>\S+))?$",
        RegexOptions.ExplicitCapture
    )]
    private static partial Regex Form();
}
