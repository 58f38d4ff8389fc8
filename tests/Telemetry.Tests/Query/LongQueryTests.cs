using System.Globalization;
using System.Text;

namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Queries with the maximum length, in shapes that make a part of the engine recurse or search.</summary>
public sealed class LongQueryTests
{
    private const int Length = 100_000;

    private static readonly TelemetrySnapshot Tables = Answer.Tables(
        Answer.Table("T", "n:long, a:bool, s:string, d:dynamic", [1, true, "x", """{"a":1}"""])
    );

    /// <summary>
    /// The query consists of start, the repeated part, middle, the equally repeated close, and end. # is replaced with
    /// the number of the part.
    /// </summary>
    public static TheoryData<string, string, string, string, string> Shapes =>
        new()
        {
            // Sequences of operators
            { "T|where a", " and a", "", "", "" },
            { "T|where a", " or a", "", "", "" },
            { "let x=1", "+1", ";print x", "", "" },
            { "let x=ago(1d)", "+1s", ";print x", "", "" },
            { "print 2", "*2", "", "", "" },
            { "T|project d", ".a", "", "", "" },
            { "T|project d", "[0]", "", "", "" },
            { "T|summarize arg_max(d", ".a", ",n)", "", "" },
            // Lists
            { "print strcat('a'", ",'a'", ")", "", "" },
            { "T|project strcat(s", ",s", ")", "", "" },
            { "T|project coalesce(n", ",n", ")", "", "" },
            { "T|project case(a,1", ",a,1", ",2)", "", "" },
            { "T|where n in (n", ",n", ")", "", "" },
            { "T|where n in (1", ",1", ")", "", "" },
            { "T|where n in (dynamic([1", ",1", "]))", "", "" },
            { "T|where s has_any ('a'", ",'a'", ")", "", "" },
            { "T|project n", ",n", "", "", "" },
            { "print 1", ",1", "", "", "" },
            { "T|extend n=1", ",n=n", "", "", "" },
            { "T|extend b=1", ",b#=1", "", "", "" },
            { "T|distinct n", ",n", "", "", "" },
            { "T|order by n", ",n", "", "", "" },
            { "T|summarize count()", ",count()", "", "", "" },
            { "T|summarize by n", ",n", "", "", "" },
            { "T|union T", ",T", "", "", "" },
            { "T|join kind=inner T on n", ",n", "", "", "" },
            { "T|project-away a", "*a", "", "", "" },
            { "T|render table with (a=1", ",a=1", ")", "", "" },
            { "datatable(a:long", ",a#:long", ")[]", "", "" },
            // Steps and statements
            { "T", "|take 1", "", "", "" },
            { "let t=T;", "let t=t|take 1;", "t", "", "" },
            { "let t=T;", "let t=t|where a;", "t", "", "" },
            { "let t=T;", "let t=t|extend n=n;", "t", "", "" },
            { "let t=T;", "let t=t|project n,a;", "t", "", "" },
            { "let t=T;", "let t=t|order by n;", "t", "", "" },
            { "let t=T;", "let t=t|summarize by n;", "t", "", "" },
            { "let t=T;", "let t=union t,T;", "t", "", "" },
            { "let t=T;", "let t=t|join kind=inner T on n;", "t", "", "" },
            { "let x=toscalar(T|project n);", "let x=x+x;", "print x", "", "" },
            // Nested brackets
            { "print x=", "(", "1", ")", "" },
            { "print x=", "-", "1", "", "" },
            { "print x=", "not(", "true", ")", "" },
            { "print x=", "iff(true,", "1", ",2)", "" },
            { "print x=", "toscalar(print ", "1", ")", "" },
            { "", "(", "T", ")", "" },
            { "", "union (", "T", ")", "" },
            { "", "T|where n in (", "T|project n", ")|project n", "" },
            { "", "T|join kind=inner (", "T", ")on n", "" },
            { "print dynamic(", "[", "1", "]", ")" },
            { "T|where s matches regex '", "(", "a", ")", "'" },
            // Long tokens
            { "print ", "a", "", "", "" },
            { "T|where s == '", "a", "'", "", "" },
        };

    [Theory, MemberData(nameof(Shapes))]
    public void Query_of_maximum_length_ends_on_a_small_stack(
        string start,
        string part,
        string middle,
        string close,
        string end
    )
    {
        var text = Fill(start, part, middle, close, end);

        // A stack of 512 KB, which some platforms give to the thread of a request.
        Exception? outcome = null;
        var thread = new Thread(() => outcome = Record.Exception(() => Ask(text)), maxStackSize: 512 * 1024);
        thread.Start();

        Assert.True(thread.Join(TimeSpan.FromMinutes(2)), "The query didn't end.");
        if (outcome is not null)
            Assert.IsType<KqlException>(outcome);
    }

    [Fact]
    public void Suggestion_for_a_long_name_is_fast()
    {
        var (defined, used) = (new string('b', 49_000), new string('c', 49_000));

        var error = Assert.Throws<KqlException>(() =>
            KqlQuery.Parse($"let {defined}=1;print {used}").Run(Tables, cancellationToken: Cancel)
        );

        Assert.Contains("there is no column", error.Reason);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private static void Ask(string text)
    {
        var query = KqlQuery.Parse(text);
        Assert.NotNull(query.RelativeLets.ToList());
        Record.Exception(() => WorkspaceForm.Of(text));
        var limits = new QueryLimits { Time = TimeSpan.FromSeconds(1) };
        query.Run(Tables, new() { Limits = limits }, cancellationToken: Cancel);
    }

    private static string Fill(string start, string part, string middle, string close, string end)
    {
        const int Digits = 5;
        var (before, after) = (new StringBuilder(start), new StringBuilder());
        var room = Length - middle.Length - end.Length - part.Length - close.Length - Digits;
        for (var i = 0; before.Length + after.Length < room; i++)
        {
            before.Append(part.Replace("#", i.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal));
            after.Append(close);
        }
        return $"{before}{middle}{after}{end}";
    }
}
