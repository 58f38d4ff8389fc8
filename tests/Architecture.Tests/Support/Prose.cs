using System.Text.RegularExpressions;

namespace DroneDelivery.Architecture.Tests.Support;

/// <summary>
/// The prose in a file: everything but code in a page; comments, string literals, and test names in C#. Each part has a
/// space for each character that isn't prose, so offsets are those of the file. A line feed separates paragraphs.
/// </summary>
internal static partial class Prose
{
    public static IEnumerable<(int Offset, string Text)> In(string path, string content) =>
        path.EndsWith(".md", StringComparison.Ordinal) ? InPage(content)
        : path.EndsWith(".cs", StringComparison.Ordinal) ? InCode(content)
        : InData(content);

    private static IEnumerable<(int Offset, string Text)> InPage(string content)
    {
        var text = Blank(content, PageCode());
        yield return (0, Blank(text.Replace('|', '\n'), WrappedLine()));
    }

    private static IEnumerable<(int Offset, string Text)> InCode(string content)
    {
        foreach (Match token in Token().Matches(content))
        {
            if (token.Groups["comment"].Success)
                yield return (token.Index, Comment(token.Value));
            else if (token.Groups["string"].Success)
                yield return (token.Index, Literal(token.Value));
        }
        foreach (Match test in TestMethod().Matches(content))
            yield return (test.Groups["name"].Index, test.Groups["name"].Value.Replace('_', ' '));
    }

    private static IEnumerable<(int Offset, string Text)> InData(string content) =>
        JsonString().Matches(content).Select(match => (match.Index, Literal(match.Value)));

    private static string Comment(string comment)
    {
        var text = Blank(comment, CommentMarker()).Replace('\n', ' ');
        var paragraphs = ParagraphTag().Replace(text, tag => new string(' ', tag.Length - 1) + '\n');
        return Blank(paragraphs, CommentCode());
    }

    // Braces contain a placeholder.
    private static string Literal(string literal) => Blank(literal, Placeholder()).Replace('"', ' ');

    private static string Blank(string text, Regex part) => part.Replace(text, match => new string(' ', match.Length));

    [GeneratedRegex(
        @"(?<comment>//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/)"
            + @"|(?<string>\$*(?<quotes>""{3,}).*?\k<quotes>|(?:\$@|@\$?)""(?:[^""]|"""")*""|\$?""(?:\\.|[^""\\\n])*"")"
            + @"|'(?:\\.|[^'\\\n])+'",
        RegexOptions.Singleline
    )]
    private static partial Regex Token();

    [GeneratedRegex(@"\[(?:Fact|Theory)\b[^\n]*\](?:\s*\[[^\n]*\])*\s*public (?:async )?[\w<>]+ (?<name>\w+)\(")]
    private static partial Regex TestMethod();

    [GeneratedRegex(@"""(?:\\.|[^""\\\n])*""")]
    private static partial Regex JsonString();

    [GeneratedRegex(@"(?<=^[ \t]*)(?:///?|/\*|\*/?)|\*/$", RegexOptions.Multiline)]
    private static partial Regex CommentMarker();

    [GeneratedRegex("<(?:summary|param|typeparam|returns|remarks|para|exception|value)(?: [^>]*)?>")]
    private static partial Regex ParagraphTag();

    [GeneratedRegex("<(c|code)>.*?</\\1>|`[^`]+`|</?[a-z][^>]*>")]
    private static partial Regex CommentCode();

    [GeneratedRegex(@"\{[^{}""\n]*\}")]
    private static partial Regex Placeholder();

    [GeneratedRegex(
        @"^```.*?^```|`[^`]+`|(?<=\])\([^)\s]+\)|<https?:[^>]*>",
        RegexOptions.Multiline | RegexOptions.Singleline
    )]
    private static partial Regex PageCode();

    // A line that continues the paragraph before it. A heading, an item of a list or an empty line does not.
    [GeneratedRegex(@"(?<=[^\n])\n(?!\s*(?:\n|$|[-*#>]|\d+\.\s))")]
    private static partial Regex WrappedLine();
}
