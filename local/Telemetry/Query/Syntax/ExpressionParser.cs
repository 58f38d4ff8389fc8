using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// Expressions, by recursive descent. From loose to tight: <c>or</c>, <c>and</c>, one comparison, <c>+ -</c>, <c>* / %</c>, sign, members.
/// </summary>
internal sealed class ExpressionParser(TokenStream tokens, Func<Expression> parseValueOrQuery)
{
    public Expression Parse()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        return FromLeft(ParseAnd, "or");
    }

    private Expression ParseAnd() => FromLeft(ParseComparison, "and");

    private Expression ParseComparison()
    {
        var left = ParseSum();
        if (ComparisonHere() is not { } comparison)
        {
            if (tokens.Current.Is("="))
            {
                throw tokens.Error(
                    tokens.Current.At,
                    "'=' does not compare.",
                    "Write '==' to compare, or =~ to ignore case."
                );
            }

            return left;
        }
        var compared = ParseComparison(left, comparison);
        if (ComparisonHere() is not null)
        {
            throw tokens.Error(
                tokens.Current.At,
                $"{tokens.Current.Description} follows another comparison.",
                "Join them with 'and', or use parentheses."
            );
        }
        return compared;
    }

    private ComparisonEntry? ComparisonHere() =>
        tokens.Current.Kind is TokenKind.Symbol or TokenKind.Word ? ComparisonTable.Find(tokens.Current.Text) : null;

    private Expression ParseComparison(Expression left, ComparisonEntry comparison)
    {
        var token = tokens.Take();
        foreach (var word in comparison.Words.Skip(1))
            tokens.Expect(word, $"after '{token.Text}'");
        if (comparison.Function is not null)
            return new Compare(token.At, comparison, left, ParseSum());
        if (comparison.Each is not null)
            return new InList(token.At, comparison, left, ParseList(token.Text));
        var (low, high) = ParseRange(token.Text);
        return new InRange(token.At, comparison, left, low, high);
    }

    private (Expression Low, Expression High) ParseRange(string comparison)
    {
        tokens.Expect("(", $"after '{comparison}'", "For example: between (10 .. 20).");
        var low = ParseSum();
        tokens.Expect("..", "between the two limits", "For example: between (10 .. 20).");
        var high = ParseSum();
        tokens.Expect(")", "after the second limit");
        return (low, high);
    }

    private List<Expression> ParseList(string comparison)
    {
        tokens.Expect("(", $"after '{comparison}'", $"For example: {comparison} ('a', 'b').");
        var items = tokens.List(parseValueOrQuery);
        tokens.Expect(")", "at the end of the list");
        return items;
    }

    private Expression ParseSum() => FromLeft(ParseProduct, "+", "-");

    private Expression ParseProduct() => FromLeft(ParseSigned, "*", "/", "%");

    private Expression FromLeft(Func<Expression> parseOperand, params ReadOnlySpan<string> operators)
    {
        var left = parseOperand();
        while (tokens.Current is { Kind: TokenKind.Symbol or TokenKind.Word } token && operators.Contains(token.Text))
        {
            tokens.Take();
            left = new Binary(token.At, token.Text, left, parseOperand());
        }
        return left;
    }

    private Expression ParseSigned()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        if (tokens.Accept("+"))
            return ParseSigned();
        if (!tokens.Current.Is("-"))
            return ParseMembers();
        var at = tokens.Take().At;
        return new Negate(at, ParseSigned());
    }

    private Expression ParseMembers()
    {
        var target = ParsePrimary();
        while (true)
        {
            if (tokens.Current.Is("."))
                target = ParseMember(target);
            else if (tokens.Current.Is("["))
                target = ParseElement(target);
            else
                return target;
        }
    }

    private Member ParseMember(Expression target)
    {
        var at = tokens.Take().At;
        return new(
            at,
            target,
            tokens.ExpectName("a property name", "Write [\"…\"] for a property whose name is no identifier.").Text
        );
    }

    private Expression ParseElement(Expression target)
    {
        var at = tokens.Take().At;
        var index = Parse();
        tokens.Expect("]", "after the index");
        return index is Literal { Type: ColumnType.String, Value: string key }
            ? new Member(at, target, key)
            : new Element(at, target, index);
    }

    private Expression ParsePrimary()
    {
        var token = tokens.Current;
        if (token.Kind == TokenKind.Literal)
            return new Literal(tokens.Take().At, token.Type, token.Value);
        if (token.Kind == TokenKind.QuotedName)
            return new Name(tokens.Take().At, token.Text);
        if (token.Is("*"))
            return new Star(tokens.Take().At);
        if (token.Is("("))
            return ParseParenthesis();
        if (token.Kind == TokenKind.Word)
            return ParseWord();
        throw tokens.Unexpected(
            "a value",
            token switch
            {
                { Kind: TokenKind.End } => "The query ends too early.",
                { Text: "|" } => "Something is missing before the pipe.",
                { Text: "," or ")" } => "Remove what is too much, or write the missing value.",
                _ => null,
            }
        );
    }

    private Expression ParseParenthesis()
    {
        tokens.Take();
        var inner = parseValueOrQuery();
        tokens.Expect(")", "to close the parenthesis");
        return inner;
    }

    private Expression ParseWord()
    {
        var word = tokens.Take();
        if (word.Text is "and" or "or" or "by")
            throw tokens.Error(word.At, $"a value was expected, not '{word.Text}'.", "Something is missing before it.");
        if (!tokens.Current.Is("("))
            return new Name(word.At, ReservedNames.Refuse(word, tokens).Text);
        tokens.Take();
        var arguments =
            word.Text == "typeof" ? [ParseType()]
            : tokens.Current.Is(")") ? []
            : tokens.List(parseValueOrQuery);
        tokens.Expect(")", $"after the arguments of '{word.Text}'");
        return new Call(word.At, word.Text, arguments);
    }

    // The names of types are reserved, but not here.
    private Name ParseType()
    {
        var type = tokens.ExpectWord("the name of a type", "For example: typeof(long).");
        return new(type.At, type.Text);
    }
}
