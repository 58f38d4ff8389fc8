namespace DroneDelivery.Lab.Tests.Commands;

public sealed class RepeatTableTests
{
    [Fact]
    public void With_JSON_they_are_one_document_and_their_medians_are_for_people()
    {
        var (document, error) = Conclude(json: true, "run 2", "run 2");

        Assert.Equal(
            ["2", "2"],
            JsonDocument.Parse(document).RootElement.EnumerateArray()
                .Select(run => run.GetProperty("stages")[0].GetProperty("stage").GetString()));
        Assert.Contains("median", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_single_one_is_its_record()
    {
        var (document, error) = Conclude(json: true, "run 2");

        Assert.Equal(JsonValueKind.Object, JsonDocument.Parse(document).RootElement.ValueKind);
        Assert.Equal("", error);
    }

    [Fact]
    public void Without_JSON_their_medians_are_the_output()
    {
        var (output, error) = Conclude(json: false, "run 2", "run 2");

        Assert.Equal("", error);
        Assert.DoesNotContain("\"stages\"", output, StringComparison.Ordinal);
        Assert.Contains("median", output, StringComparison.Ordinal);
    }

    private static (string Output, string Error) Conclude(bool json, params string[] commands)
    {
        var lab = new LabInMemory();
        RunCommand.Conclude([.. commands.Select(command => PlayedByArithmetic.Run(command))], json, lab.Context);
        return (lab.Output, lab.Error);
    }
}
