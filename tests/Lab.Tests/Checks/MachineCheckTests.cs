namespace DroneDelivery.Lab.Tests.Checks;

public sealed class MachineCheckTests
{
    private static readonly IReadOnlyList<StagePlan> Stages = RunPlan
        .Of([RunPlan.Everything], new(RunOptions.Quick, KnobSet.Empty, null, "", new(0), 1, false))
        .Played;

    private static readonly ReferenceMachine Reference = ReferenceMachine.Load();

    private static readonly MachineRecord Machine = MachineRecord.Simulated with { Cores = 2, Redis = "Redis server" };

    [Fact]
    public void Reference_machine_names_every_stage_of_a_run() =>
        Assert.Equal(
            Stages.Select(stage => stage.Stage.Id).Order(StringComparer.Ordinal),
            Reference.Cores.Keys.Order(StringComparer.Ordinal)
        );

    [Theory]
    [InlineData(2, 0, 1, 1)]
    [InlineData(4, 0, 1, 0.5)]
    [InlineData(2, 0, 2, 2)]
    [InlineData(2, 0.3, 1, 1.3)]
    public void Forecast_depends_on_cores_speed_and_other_programs(
        int cores,
        double otherPrograms,
        double slowdown,
        double expected
    )
    {
        var stage = Stages[0];
        var reference = Reference with { Cores = new Dictionary<string, double> { [stage.Stage.Id] = 2 } };

        var forecast = CpuForecast.Of(
            [stage],
            new(cores, otherPrograms, slowdown * reference.CpuMicrosecondsPerHold),
            reference
        );

        Assert.Equal(expected, Assert.Single(forecast).Machine, 1e-9);
    }

    [Fact]
    public void Fast_machine_is_suitable()
    {
        var check = Check(new(16, 0, Reference.CpuMicrosecondsPerHold));

        Assert.True(check.IsFit);
        Assert.Contains("./lab run", Assert.Single(check.Advice), StringComparison.Ordinal);
    }

    [Fact]
    public void Slow_machine_gets_the_required_number_of_cores()
    {
        var check = Check(new(2, 0, 2 * Reference.CpuMicrosecondsPerHold));

        Assert.False(check.IsFit);
        Assert.Contains(check.Forecasts, forecast => forecast.Fit == CpuFit.TooSlow);
        var cores = (int)Math.Ceiling(Reference.Cores.Values.Max() * 2 / 0.75);
        Assert.Contains(check.Advice, advice => advice.StartsWith($"With {cores} cores", StringComparison.Ordinal));
        var fitting = Reference.Cores.Where(stage => stage.Value <= 0.75).Select(stage => stage.Key);
        var command = $"./lab run {string.Join(' ', fitting.Order(StringComparer.Ordinal))}";
        Assert.Contains(check.Advice, advice => advice.EndsWith(command, StringComparison.Ordinal));
    }

    [Fact]
    public void Busy_machine_gets_the_advice_to_close_other_programs()
    {
        var check = Check(new(2, 0.4, Reference.CpuMicrosecondsPerHold));

        Assert.False(check.IsFit);
        Assert.Contains("they use 40", Assert.Single(check.Advice), StringComparison.Ordinal);
    }

    [Fact]
    public void Missing_redis_server_is_named_with_its_install_command()
    {
        var check = Check(new(16, 0, Reference.CpuMicrosecondsPerHold), Machine with { Redis = null });

        Assert.False(check.IsFit);
        Assert.Contains("apt install redis-server", Assert.Single(check.Advice), StringComparison.Ordinal);
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task Check_command_predicts_the_CPU_use_of_every_stage()
    {
        await using var lab = new LabProcess();

        var (exitCode, output, _) = await lab.InvokeAsync("check", "--json");

        var check = JsonDocument.Parse(output).RootElement;
        var stages = check.GetProperty("stages").EnumerateArray().ToList();
        Assert.Equal(check.GetProperty("isFit").GetBoolean() ? 0 : 1, exitCode);
        Assert.Equal(Stages.Count, stages.Count);
        Assert.All(stages, stage => Assert.True(stage.GetProperty("machine").GetDouble() > 0));
        Assert.NotEmpty(check.GetProperty("advice").EnumerateArray());
    }

    private static MachineCheck Check(MachineSpeed speed, MachineRecord? machine = null)
    {
        var capacity = Calibration.CapacityOf(
            DeclaredEnvironment.Load("azure-2020").Nodes!,
            Placement.Of(PlacementRule.RoundRobin, 6, _ => 3)
        );
        var calibration = new Calibration(capacity, capacity, new(0, 0, 0, 0, 0, 0), speed.CpuMicrosecondsPerHold);
        return MachineCheck.Of(machine ?? Machine, speed, calibration, Stages, Reference);
    }
}
