using System.Text.RegularExpressions;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Stages;

/// <summary>A fault of a stage, for example <c>kill workflow-1 at 20s for 5s</c>.</summary>
/// <param name="Whom">A service, the broker or Redis.</param>
/// <param name="Fault">In seconds at full scale when parsed, and scaled in a plan.</param>
internal sealed partial record StageFault(string Text, string Whom, Fault Fault)
{
    public const string Grammar =
        "'kill SERVICE[-REPLICA] at TIME [for TIME]', 'slow BACKEND|broker xN at TIME [for TIME]', 'fail BACKEND N% at TIME [for TIME]', "
        + "'fill redis at TIME [for TIME]' or 'pause broker|redis at TIME for TIME', where BACKEND is "
        + Backends
        + " (only `./lab simulate` supports `slow broker`)";

    private const string Broker = "broker",
        Redis = "redis",
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
        if (what == "kill")
            _ = ServiceOf(whom);
        var at = Read("at", Time)!.Value;
        return new(
            text.Trim(),
            whom,
            new(KindOf(what, whom), at, at + (Read("for", Length) ?? double.PositiveInfinity))
            {
                Service = IndexOf(whom),
                Replica = (int)(Read("replica") ?? 0),
                Factor = Read("factor", Times) ?? 1,
                Share = (Read("share", Percent) ?? 0) / 100,
            }
        );

        double? Read(string group, Knob? knob = null) =>
            match.Groups[group] is not { Success: true, Value: var value } ? null
            : knob is null ? int.Parse(value)
            : knob.Parse(value).Number;
    }

    public static IReadOnlyList<StageFault> Of(StagePlan plan)
    {
        List<StageFault> faults = [.. plan.Options.Faults.OrderBy(fault => fault.Fault.FromSeconds)];
        foreach (var (first, next) in faults.SelectMany((first, i) => faults.Skip(i + 1).Select(next => (first, next))))
        {
            if (
                (first.Fault.Kind, first.Whom, first.Fault.Replica) == (next.Fault.Kind, next.Whom, next.Fault.Replica)
                && next.Fault.FromSeconds < first.Fault.ToSeconds
            )
            {
                throw new BadInputException(
                    $"--fault '{next.Text}' begins before '{first.Text}' is over: combine them."
                );
            }
        }
        return faults.ConvertAll(fault => fault.For(plan));
    }

    private StageFault For(StagePlan plan)
    {
        if (Fault.FromSeconds >= plan.TotalSeconds * plan.K)
        {
            throw new BadInputException(
                $"--fault '{Text}': stage {plan.Stage.Id} ends after {plan.TotalSeconds * plan.K:0} s."
            );
        }

        var replicas = Whom is Broker or Redis ? 1 : ServiceOf(Whom).Replicas(plan.Knobs);
        if (Fault.Replica >= replicas)
        {
            throw new BadInputException(
                $"--fault '{Text}': stage {plan.Stage.Id} has {replicas} replicas of {Whom}, counted from 0."
            );
        }

        return this with
        {
            Fault = Fault with
            {
                FromSeconds = Fault.FromSeconds / plan.K,
                ToSeconds = Fault.ToSeconds / plan.K,
                CacheTimeoutSeconds = plan.Knobs.Number("redis.operationTimeout"),
            },
        };
    }

    private static FaultKind KindOf(string what, string whom) =>
        what switch
        {
            "kill" => FaultKind.Kill,
            "slow" => FaultKind.Slow,
            "fail" => FaultKind.Fail,
            "fill" => FaultKind.FillCache,
            _ => whom == Redis ? FaultKind.PauseCache : FaultKind.PauseBroker,
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
