using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

internal static class SystemFaults
{
    public static SystemFile Valid(this SystemFile it, Func<string, string> where) =>
        Of(it).FirstOrDefault() is { Field: not null } fault
            ? throw new BadInputException($"{where(fault.Field)}: {fault.Text}.")
            : it;

    private static IEnumerable<(string Field, string Text)> Of(SystemFile it) =>
        [
            .. Missing(it),
            .. OfLoad(it.Load),
            .. OfNodes(it),
            .. it.Services.SelectMany(service => OfService(service.Key, service.Value, it)),
            .. OfReceiver(it),
        ];

    private static IEnumerable<(string Field, string Text)> Missing(SystemFile it)
    {
        if (it.Load is null)
            yield return ("load", "load must specify the rate or the users: { \"perSecond\": 40 }");
        if (it.Services.Count == 0)
        {
            yield return ("services", "services must list the receiver and the services that it calls");
            yield break;
        }

        var names = string.Join(", ", it.Services.Keys);
        if (!it.Services.ContainsKey(it.Receives))
        {
            yield return (
                "receives",
                $"receives must be one of the services ({names}){Hint(it.Receives, it.Services.Keys)}"
            );
        }

        if (it.Accepts is not null && !it.Services.ContainsKey(it.Accepts))
        {
            yield return (
                "accepts",
                $"accepts must be one of the services ({names}){Hint(it.Accepts, it.Services.Keys)}"
            );
        }
    }

    private static IEnumerable<(string Field, string Text)> OfLoad(SystemLoad? load)
    {
        if (load is null)
            yield break;
        if (load.PerSecond is null == load.MaxUsers is null)
            yield return ("load", "load must have either perSecond or maxUsers, not both");
        if (load.PerSecond is <= 0 or > 100_000)
            yield return ("load.perSecond", "load.perSecond must be above 0, at most 100,000");
        if (load.MaxUsers is <= 0 or > 100_000)
            yield return ("load.maxUsers", "load.maxUsers must be from 1 to 100,000");
        if (
            load
            is { StartUsers: < 0 }
                or { StepUsers: < 1 }
                or { StepSeconds: <= 0 }
                or { RequestEveryMilliseconds: < 1 }
        )
        {
            yield return ("load", "stepUsers, stepSeconds and requestEveryMilliseconds must be above 0");
        }

        if (load.Duration is <= 0 or > 86_400)
            yield return ("load.duration", "load.duration must be above 0s, at most 24h");
    }

    private static IEnumerable<(string Field, string Text)> OfNodes(SystemFile it)
    {
        if (it.Nodes?.System.Servers >= it.Knobs.Number("nodes.vCpu", 1))
            yield return ("nodes.system", "nodes.system must leave CPU for the services");
    }

    private static IEnumerable<(string Field, string Text)> OfService(string name, SystemService it, SystemFile system)
    {
        var services = system.Services;
        var field = $"services.{name}";
        if (it.Replicas is < 1 or > SystemText.Most)
            yield return ($"{field}.replicas", $"{name}.replicas must be from 1 to {SystemText.Most:#,0}");
        foreach (
            var unknown in it.Calls.SelectMany(step => step.Services).Where(called => !services.ContainsKey(called))
        )
        {
            yield return (
                $"{field}.calls",
                $"{name}.calls: {unknown} is not one of the services{Hint(unknown, services.Keys)}"
            );
        }
    }

    private static IEnumerable<(string Field, string Text)> OfReceiver(SystemFile it)
    {
        var prefetch = it.Knobs.Number("workflow.prefetchCount");
        if (prefetch > 0 && prefetch < it.Knobs.Number("workflow.maxConcurrentCalls"))
        {
            yield return (
                $"services.{it.Receives}.prefetchCount",
                $"{it.Receives}.prefetchCount must be 0, or at least maxConcurrentCalls"
            );
        }
    }

    private static string Hint(string name, IEnumerable<string> names) =>
        Nearest.To(name, names) is [var near, ..] ? $"; did you mean {near}?" : "";
}
