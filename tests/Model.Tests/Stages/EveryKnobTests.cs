using System.Text.Json;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Model.Tests.Stages;

/// <summary>Each setting is simulated, reported as not simulated, or known to be irrelevant.</summary>
public sealed class EveryKnobTests
{
    /// <summary>Settings that don't affect the metrics of a healthy stage.</summary>
    private static readonly string[] WithoutPart =
    [
        "http.concurrencyLimit",
        "http.concurrencyQueue",
        "redis.operationTimeout",
        "telemetry.redis",
    ];

    // A cache with a limit in bytes, so that its settings matter.
    private static readonly string[] Always = ["redis.maxMemory=50mb"];

    private static readonly (string[] Simulated, string[] LeftOut) Unchanged = SettingsOf([]);

    public static TheoryData<string> Knobs => [.. KnobTable.All.Select(knob => knob.Name)];

    [Theory, MemberData(nameof(Knobs))]
    public void Setting_is_simulated_or_deliberately_omitted(string name)
    {
        var (simulated, leftOut) = SettingsOf(Turned(KnobTable.Find(name)));

        var changes = !simulated.SequenceEqual(Unchanged.Simulated) || !leftOut.SequenceEqual(Unchanged.LeftOut);
        Assert.Equal(!WithoutPart.Contains(name), changes);
    }

    private static string[] Turned(Knob knob) =>
        knob.Name switch
        {
            "redis.deliveriesThatFit" => ["redis.deliveriesThatFit=800", "load.instructions=17000"],
            "redis.maxMemory" => ["redis.maxMemory=60mb"],
            "load.maxUsers" => ["load.maxUsers=10"],
            "workflow.prefetchCount" => ["workflow.prefetchCount=800"],
            _ => [$"{knob.Name}={ValueOf(knob)}"],
        };

    private static string ValueOf(Knob knob) =>
        knob.Unit switch
        {
            KnobUnit.Word => knob.Words.First(word =>
                word != Stage.Load("2").Knobs[knob.Name]?.Word && word != "RoundRobin"
            ),
            KnobUnit.SecondsList => "0.5,1",
            KnobUnit.Ratio => "0.5",
            KnobUnit.Seconds => "16",
            _ => knob.Max == 1 ? "1" : "11",
        };

    private static (string[] Simulated, string[] LeftOut) SettingsOf(string[] knobs)
    {
        var options = new RunOptions(
            RunOptions.Quick,
            KnobSet.Parse([.. Always, .. knobs]),
            null,
            "",
            new(0),
            1,
            false
        );
        var plan = StagePlan.Of(Stage.Load("2"), options);
        return ([JsonSerializer.Serialize(SimulatedSetting.Of(plan))], [.. SimulatedSetting.NotSimulated(plan)]);
    }
}
