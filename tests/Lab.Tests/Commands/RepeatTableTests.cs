using System.Text.Json;
using DroneDelivery.Lab.Commands;
using DroneDelivery.Lab.Tests.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Tests.Commands;

public sealed class RepeatTableTests
{
    [Fact]
    public void With_JSON_they_are_one_document_and_their_medians_are_for_people()
    {
        var (document, output, error) = Conclude(json: true, "run 2", "run 2");

        Assert.Equal(
            ["2", "2"],
            JsonDocument.Parse(document).RootElement.EnumerateArray()
                .Select(run => run.GetProperty("stages")[0].GetProperty("stage").GetString()));
        Assert.Empty(output);
        Assert.Contains("median", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_single_one_is_its_record()
    {
        var (document, output, error) = Conclude(json: true, "run 2");

        Assert.Equal(JsonValueKind.Object, JsonDocument.Parse(document).RootElement.ValueKind);
        Assert.Equal("", output + error);
    }

    [Fact]
    public void Without_JSON_their_medians_are_the_output()
    {
        var (document, output, error) = Conclude(json: false, "run 2", "run 2");

        Assert.Equal("", document + error);
        Assert.Contains("median", output, StringComparison.Ordinal);
    }

    private static (string Document, string Output, string Error) Conclude(bool json, params string[] commands)
    {
        using StringWriter document = new(), output = new(), error = new();
        RunCommand.Conclude(
            [.. commands.Select(command => PlayedByArithmetic.Run(command))], json, document, Console(output), Console(error));
        return (document.ToString(), output.ToString(), error.ToString());
    }

    private static IAnsiConsole Console(TextWriter writer) =>
        AnsiConsole.Create(new() { Ansi = AnsiSupport.No, Out = new AnsiConsoleOutput(writer) });
}
