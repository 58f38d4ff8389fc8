namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>Something with a value of <see cref="SqlValue"/>; null: unknown, as a property is that the message does not have.</summary>
internal abstract record SqlExpression
{
    /// <exception cref="FilterException">It has no value for this message.</exception>
    public abstract object? Evaluate(IRuleMessage message);

    public sealed record Constant(object? Value) : SqlExpression
    {
        public override object? Evaluate(IRuleMessage message) => Value;
    }

    public sealed record Property(bool IsSystem, string Name) : SqlExpression
    {
        public override object? Evaluate(IRuleMessage message)
        {
            if (IsSystem)
                return SqlValue.Of(message.System(Name));
            return message.TryGet(Name, out var value) ? SqlValue.Of(value) : null;
        }

        public bool Exists(IRuleMessage message) => IsSystem ? message.System(Name) is not null : message.TryGet(Name, out _);
    }

    /// <summary>The application's property that has the value as its name.</summary>
    public sealed record PropertyOf(SqlExpression Name) : SqlExpression
    {
        public override object? Evaluate(IRuleMessage message) => Name.Evaluate(message) switch
        {
            null => null,
            string name => message.TryGet(name, out var value) ? SqlValue.Of(value) : null,
            _ => throw new FilterException("The name of a property is a string."),
        };
    }

    public sealed record NewId : SqlExpression
    {
        public override object Evaluate(IRuleMessage message) => Guid.NewGuid();
    }

    public sealed record Negative(SqlExpression Operand) : SqlExpression
    {
        public override object? Evaluate(IRuleMessage message) => SqlValue.Calculate('-', 0L, Operand.Evaluate(message));
    }

    public sealed record Calculation(char Operation, SqlExpression Left, SqlExpression Right) : SqlExpression
    {
        public override object? Evaluate(IRuleMessage message) =>
            SqlValue.Calculate(Operation, Left.Evaluate(message), Right.Evaluate(message));
    }
}

/// <summary>Something that is true, false, or unknown (null) of a message. Operators of bool? have SQL's tables of three values.</summary>
internal abstract record SqlPredicate
{
    /// <exception cref="FilterException">It cannot be said of this message.</exception>
    public abstract bool? Test(IRuleMessage message);

    public sealed record Not(SqlPredicate Operand) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message) => !Operand.Test(message);
    }

    public sealed record And(SqlPredicate Left, SqlPredicate Right) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message) =>
            Left.Test(message) is not false and var left ? left & Right.Test(message) : false;
    }

    public sealed record Or(SqlPredicate Left, SqlPredicate Right) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message) => Left.Test(message) is not true and var left ? left | Right.Test(message) : true;
    }

    public sealed record Comparison(string Operator, SqlExpression Left, SqlExpression Right) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message)
        {
            var (left, right) = (Left.Evaluate(message), Right.Evaluate(message));
            return Operator switch
            {
                "=" => SqlValue.AreEqual(left, right),
                "<>" or "!=" => !SqlValue.AreEqual(left, right),
                "<" => SqlValue.Order(left, right) is { } order ? order < 0 : null,
                "<=" => SqlValue.Order(left, right) is { } order ? order <= 0 : null,
                ">" => SqlValue.Order(left, right) is { } order ? order > 0 : null,
                _ => SqlValue.Order(left, right) is { } order ? order >= 0 : null,
            };
        }
    }

    public sealed record IsNull(SqlExpression Operand) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message) => Operand.Evaluate(message) is null;
    }

    public sealed record Exists(SqlExpression.Property Property) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message) => Property.Exists(message);
    }

    public sealed record In(SqlExpression Operand, IReadOnlyList<SqlExpression> Values) : SqlPredicate
    {
        public override bool? Test(IRuleMessage message)
        {
            var value = Operand.Evaluate(message);
            bool? found = false;
            foreach (var other in Values)
                found |= SqlValue.AreEqual(value, other.Evaluate(message));
            return found;
        }
    }

    /// <param name="Operand">A string, or unknown.</param>
    /// <param name="Pattern">In which % is any text and _ any character.</param>
    /// <param name="Escape">Makes the next character stand for itself; null: none.</param>
    public sealed record Like(SqlExpression Operand, SqlExpression Pattern, char? Escape) : SqlPredicate
    {
        // All queues wait for the filters of a topic that many messages come to.
        private const int MostSteps = 10_000_000;

        private readonly LikePattern[]? _constant =
            Pattern is SqlExpression.Constant { Value: string constant } ? LikePattern.Of(constant, Escape) : null;

        public override bool? Test(IRuleMessage message) => (Operand.Evaluate(message), Pattern.Evaluate(message)) switch
        {
            (null, _) or (_, null) => null,
            (string text, string pattern) => Matches(text, _constant ?? LikePattern.Of(pattern, Escape)),
            _ => throw new FilterException("LIKE compares strings."),
        };

        /// <summary>Goes back to the last % alone, so the time is at most the product of both lengths.</summary>
        private static bool Matches(string text, LikePattern[] pattern)
        {
            int at = 0, next = 0, afterAny = -1, retry = 0, steps = 0;
            while (at < text.Length)
            {
                if (++steps > MostSteps)
                    throw new FilterException($"LIKE takes more than {MostSteps} steps.");
                if (next < pattern.Length && pattern[next].IsAnyText)
                {
                    afterAny = ++next;
                    retry = at;
                }
                else if (next < pattern.Length && pattern[next].Takes(text[at]))
                {
                    at++;
                    next++;
                }
                else if (afterAny >= 0)
                {
                    at = ++retry;
                    next = afterAny;
                }
                else
                {
                    return false;
                }
            }
            return pattern[next..].All(part => part.IsAnyText);
        }
    }

    private readonly record struct LikePattern(char Character, bool IsAnyText, bool IsAnyCharacter)
    {
        public bool Takes(char character) => !IsAnyText && (IsAnyCharacter || Character == character);

        public static LikePattern[] Of(string pattern, char? escape)
        {
            var parts = new List<LikePattern>(pattern.Length);
            for (var i = 0; i < pattern.Length; i++)
            {
                var isEscaped = pattern[i] == escape && i + 1 < pattern.Length;
                if (isEscaped)
                    i++;
                parts.Add(new(pattern[i], !isEscaped && pattern[i] == '%', !isEscaped && pattern[i] == '_'));
            }
            return [.. parts];
        }
    }
}
