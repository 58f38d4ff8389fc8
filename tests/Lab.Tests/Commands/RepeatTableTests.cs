namespace DroneDelivery.Lab.Tests.Commands;

public sealed class RepeatTableTests
{
    [Fact]
    public void With_JSON_they_are_one_document_and_their_medians_are_for_people()
    {
        var (several, error) = Conclude(json: true, "run 2", "run 2");
        var (one, nothing) = Conclude(json: true, "run 2");
        var (table, none) = Conclude(json: false, "run 2", "run 2");

        Assert.Equal(2, JsonDocument.Parse(several).RootElement.GetArrayLength());
        Assert.Equal(
            "2",
            JsonDocument.Parse(one).RootElement.GetProperty("stages")[0].GetProperty("stage").GetString()
        );
        Assert.All([error, table], medians => Assert.Contains("median", medians, StringComparison.Ordinal));
        Assert.DoesNotContain("\"stages\"", table, StringComparison.Ordinal);
        Assert.Equal(("", ""), (nothing, none));
    }

    private static (string Output, string Error) Conclude(bool json, params string[] commands)
    {
        var lab = new LabInMemory();
        RunCommand.Conclude([.. commands.Select(command => PlayedByArithmetic.Run(command))], json, lab.Context);
        return (lab.Output, lab.Error);
    }
}
