using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Parses expressions by recursive descent, in order of increasing precedence: <c>or</c>, <c>and</c>, one
/// comparison, <c>+ -</c>, <c>* / %</c>, sign, properties.</summary>
internal abstract class ExpressionParser(QueryText query) : TokenStream(query)
{
    protected abstract Expression ParseValueOrQuery();

    public Expression ParseExpression()
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
            if (Current.Is("="))
            {
                throw Error(Current.At, "'=' is not a comparison.", "Write '==' to compare, or =~ to ignore case.");
            }

            return left;
        }
        var compared = ParseComparison(left, comparison);
        if (ComparisonHere() is not null)
        {
            throw Error(
                Current.At,
                $"{Current.Description} follows another comparison.",
                "Join them with 'and', or use parentheses."
            );
        }
        return compared;
    }

    private ComparisonEntry? ComparisonHere() =>
        Current.Kind is TokenKind.Symbol or TokenKind.Word ? ComparisonTable.Find(Current.Text) : null;

    private Expression ParseComparison(Expression left, ComparisonEntry comparison)
    {
        var token = Take();
        foreach (var word in comparison.Words.Skip(1))
            Expect(word, $"after '{token.Text}'");
        if (comparison.Function is { } function)
            return new Operation(token.At, function, [left, ParseSum()]);
        if (comparison.Each is not null)
            return new InList(token.At, comparison, left, ParseList(token.Text));
        var (low, high) = ParseRange(token.Text);
        return new InRange(token.At, comparison, left, low, high);
    }

    private (Expression Low, Expression High) ParseRange(string comparison)
    {
        Expect("(", $"after '{comparison}'", "For example: between (10 .. 20).");
        var low = ParseSum();
        Expect("..", "between the two limits", "For example: between (10 .. 20).");
        var high = ParseSum();
        Expect(")", "after the second limit");
        return (low, high);
    }

    private List<Expression> ParseList(string comparison)
    {
        Expect("(", $"after '{comparison}'", $"For example: {comparison} ('a', 'b').");
        var items = ListOf(ParseValueOrQuery);
        Expect(")", "at the end of the list");
        return items;
    }

    private Expression ParseSum() => FromLeft(ParseProduct, "+", "-");

    private Expression ParseProduct() => FromLeft(ParseSigned, "*", "/", "%");

    private Expression FromLeft(Func<Expression> parseOperand, params ReadOnlySpan<string> operators)
    {
        var left = parseOperand();
        while (Current is { Kind: TokenKind.Symbol or TokenKind.Word } token && operators.Contains(token.Text))
        {
            Take();
            left = new Operation(token.At, FunctionTable.Known(token.Text), [left, parseOperand()]);
        }
        return left;
    }

    private Expression ParseSigned()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        if (Accept("+"))
            return ParseSigned();
        if (!Current.Is("-"))
            return ParseMembers();
        var at = Take().At;
        return new Operation(at, FunctionTable.Known("unary -"), [ParseSigned()]);
    }

    private Expression ParseMembers()
    {
        var target = ParsePrimary();
        while (true)
        {
            if (Current.Is("."))
                target = ParseMember(target);
            else if (Current.Is("["))
                target = ParseElement(target);
            else
                return target;
        }
    }

    private Member ParseMember(Expression target)
    {
        var at = Take().At;
        return new(
            at,
            target,
            ExpectName("a property name", "Write [\"…\"] for a property whose name is not an identifier.").Text
        );
    }

    private Expression ParseElement(Expression target)
    {
        var at = Take().At;
        var index = ParseExpression();
        Expect("]", "after the index");
        return index is Literal { Type: ColumnType.String, Value: string key }
            ? new Member(at, target, key)
            : new Operation(at, FunctionTable.Known("[]"), [target, index]);
    }

    private Expression ParsePrimary()
    {
        var token = Current;
        if (token.Kind == TokenKind.Literal)
            return new Literal(Take().At, token.Type, token.Value);
        if (token.Kind == TokenKind.QuotedName)
            return new Name(Take().At, token.Text);
        if (token.Is("*"))
            return new Star(Take().At);
        if (token.Is("("))
            return ParseParenthesis();
        if (token.Kind == TokenKind.Word)
            return ParseWord();
        throw Unexpected(
            "a value",
            token switch
            {
                { Kind: TokenKind.End } => "The query is incomplete.",
                { Text: "|" } => "Something is missing before the pipe.",
                { Text: "," or ")" } => "Remove it, or add the missing value.",
                _ => null,
            }
        );
    }

    private Expression ParseParenthesis()
    {
        Take();
        var inner = ParseValueOrQuery();
        Expect(")", "to close the parenthesis");
        return inner;
    }

    private Expression ParseWord()
    {
        var word = Take();
        if (word.Text is "and" or "or" or "by")
            throw Error(word.At, $"a value was expected, not '{word.Text}'.", "Something is missing before it.");
        if (!Current.Is("("))
            return new Name(word.At, ReservedNames.Refuse(word, this).Text);
        Take();
        var arguments =
            word.Text == "typeof" ? [ParseType()]
            : Current.Is(")") ? []
            : ListOf(ParseValueOrQuery);
        Expect(")", $"after the arguments of '{word.Text}'");
        return new Call(word.At, word.Text, arguments);
    }

    // Names of types are otherwise reserved.
    private Name ParseType()
    {
        var type = ExpectWord("the name of a type", "For example: typeof(long).");
        return new(type.At, type.Text);
    }
}
