using System.Text;
using System.Text.Encodings.Web;
using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// What Azure's documentation says of each function and operator, against what the engine answers: <c>documented.txt</c>. A line that
/// begins with ~ is a difference that is known; when it goes, so has the mark.
/// </summary>
public sealed class DocumentedTests
{
    private static readonly string[] Sources = ["datatable(", "print ", "range ", "union "];

    private const int Least = 200;
    private const double Equal = 0.95;

    private static readonly TelemetrySnapshot Nothing = new([]);

    private static readonly IReadOnlyList<string> All =
        [.. File.ReadLines(Path.Combine(Repository.Root, "tests", "Telemetry.Tests", "Query", "documented.txt"))
            .Where(line => line.Contains(" => ", StringComparison.Ordinal) && !line.StartsWith('#'))];

    public static TheoryData<string> Lines => [.. All];

    [Theory, MemberData(nameof(Lines))]
    public void A_value_is_as_documented_unless_it_is_said_to_differ(string line)
    {
        var (asked, expected) = line.TrimStart('~').Split(" => ") is [var before, var after] ? (before, after) : (line, "");

        if (line.StartsWith('~'))
            Assert.NotEqual(expected, Record.Exception(() => Answer(asked)) is { } refused ? refused.Message : Answer(asked));
        else
            Assert.Equal(expected, Answer(asked));
    }

    [Fact]
    public void Nearly_all_are_equal()
    {
        Assert.InRange(All.Count, Least, int.MaxValue);
        Assert.InRange(All.Count(line => !line.StartsWith('~')) / (double)All.Count, Equal, 1);
    }

    private static string Answer(string asked)
    {
        var isQuery = Sources.Any(source => asked.StartsWith(source, StringComparison.Ordinal));
        var query = KqlQuery.Parse(isQuery ? asked : $"print {asked}");
        var answer = query.Run(Nothing, cancellationToken: TestContext.Current.CancellationToken);
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text, new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
            Write(json, answer, isQuery);
        return Encoding.UTF8.GetString(text.ToArray());
    }

    private static void Write(Utf8JsonWriter json, QueryResult answer, bool isQuery)
    {
        if (!isQuery)
        {
            answer.WriteCell(json, 0, 0);
            return;
        }
        json.WriteStartArray();
        for (var row = 0; row < answer.Rows; row++)
        {
            json.WriteStartArray();
            for (var column = 0; column < answer.Columns.Count; column++)
                answer.WriteCell(json, row, column);
            json.WriteEndArray();
        }
        json.WriteEndArray();
    }
}
