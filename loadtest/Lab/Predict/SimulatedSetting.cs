using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A stage as the model is told it. What the stage does not set has the default of the service that would be started.</summary>
internal static class SimulatedSetting
{
    /// <summary>
    /// Where messages wait, the lab schedules them for a moment after its last step. The load generator takes some 0.8 s to start, so they
    /// are due half a second after the load has begun.
    /// </summary>
    public const double OpensAfterSeconds = 0.5;

    public static Setting Of(StagePlan plan) =>
        SystemOf(plan).SettingOf(plan.Options.Seed) with
        {
            CacheFits = RedisMemory.Fits(plan.Knobs),
            WorkflowStartsAfterSeconds = plan.MessagesAtStart > 0 ? OpensAfterSeconds : 0,
            Faults = StageFault.Of(plan),
        };

    /// <summary>The application's file, with what the stage, its environment, its profile and its knobs set.</summary>
    private static SystemFile SystemOf(StagePlan plan)
    {
        var text = SystemText.Ours;
        PutEnvironment(text, plan.Environment);
        foreach (var (knob, value) in plan.Knobs.All)
            text.Replace(knob.Name, value.Word is { } word ? word : ValueOf(knob, value));
        text.Put("queue.messagesAtStart", plan.MessagesAtStart);
        text.PutPart("load", LoadOf(plan.Profile, plan.Options.Open));
        text.PutPart(
            "observe",
            JsonSerializer.SerializeToNode(
                new { seconds = plan.ObserveSeconds, plan.Stage.Observe.UntilEmpty },
                JsonSerializerOptions.Web
            )
        );
        return text.Read(plan.Stage.Id);
    }

    private static JsonNode? ValueOf(Knob knob, KnobValue value) =>
        knob.Unit == KnobUnit.SecondsList
            ? JsonSerializer.SerializeToNode(value.Numbers)
            : JsonValue.Create(value.Number);

    /// <summary>Null takes away what an environment does not emulate.</summary>
    private static void PutEnvironment(SystemText text, DeclaredEnvironment environment)
    {
        foreach (var service in Service.All)
        {
            text.Put($"{service.Name}.replicas", KnobSet.Empty.Number(service.ReplicasKnob));
            text.Put($"{service.Name}.latency", LatencyOf(service.Name));
            text.Put(
                $"{service.Name}.cpuMilliseconds",
                environment.Nodes?.CpuMilliseconds.GetValueOrDefault(service.Name)
            );
        }

        text.Put("workflow.settlement", LatencyOf("broker"));
        text.Put("nodes.cpuCost", environment.Nodes is null ? 0 : 1);
        text.Put("nodes.count", environment.Nodes?.Count ?? 1);
        text.Put("nodes.vCpu", environment.Nodes?.VCpu ?? 1);
        text.Put(
            "nodes.system",
            JsonSerializer.SerializeToNode(environment.Nodes?.System ?? new(0, 100), JsonSerializerOptions.Web)
        );

        JsonNode? LatencyOf(string process) =>
            environment.Latency.GetValueOrDefault(process) is { } latency ? SystemText.Of(latency) : null;
    }

    private static JsonObject LoadOf(StepProfile profile, bool open) =>
        new()
        {
            ["startUsers"] = profile.StartUsers,
            ["stepUsers"] = profile.StepUsers,
            ["stepSeconds"] = profile.StepSeconds,
            ["maxUsers"] = profile.MaxUsers,
            ["duration"] = profile.DurationSeconds,
            ["requestEveryMilliseconds"] = profile.RequestEveryMilliseconds,
            ["jitter"] = profile.Jitter,
            ["open"] = open,
        };

    /// <summary>What is set and does something that the model knows nothing of, one sentence each.</summary>
    public static IEnumerable<string> LeftOut(StagePlan plan)
    {
        var knobs = plan.Knobs;
        if (knobs["workflow.supervisor"]?.Word == "on")
            yield return "The model has no workflow.supervisor: dead letters stay, and nobody undoes their requests.";
        if (RedisMemory.IsEstimate(knobs))
            yield return "How many deliveries fit into redis.maxMemory is a rough estimate; redis.deliveriesThatFit is exact.";
    }
}
