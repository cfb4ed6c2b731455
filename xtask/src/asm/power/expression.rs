//! Numbers as the assembler computes them.

use anyhow::{Context, Result, ensure};

/// The operators, by how tightly they bind.
const OPERATORS: [&[&str]; 3] = [&["+", "-"], &["|", "&", "^"], &["*", "<<", ">>"]];

/// The value of a text without names, in the precedence of GNU's assembler: `&` before `+`.
pub(super) fn value(text: &str) -> Result<i64> {
    let mut rest = text;
    let value = level(&mut rest, 0).with_context(|| format!("no number: {text}"))?;
    ensure!(rest.trim_start().is_empty(), "no number: {text}");
    Ok(value)
}

fn level(rest: &mut &str, n: usize) -> Option<i64> {
    let Some(operators) = OPERATORS.get(n) else { return atom(rest) };
    let mut value = level(rest, n + 1)?;
    while let Some((operator, after)) = operators.iter().find_map(|o| Some((*o, rest.trim_start().strip_prefix(o)?))) {
        *rest = after;
        let other = level(rest, n + 1)?;
        value = match operator {
            "+" => value.checked_add(other)?,
            "-" => value.checked_sub(other)?,
            "|" => value | other,
            "&" => value & other,
            "^" => value ^ other,
            "*" => value.checked_mul(other)?,
            "<<" => value.checked_shl(other.try_into().ok()?)?,
            _ => value.checked_shr(other.try_into().ok()?)?,
        };
    }
    Some(value)
}

fn atom(rest: &mut &str) -> Option<i64> {
    let text = rest.trim_start();
    if let Some(after) = text.strip_prefix('-') {
        *rest = after;
        return atom(rest)?.checked_neg();
    }
    if let Some(after) = text.strip_prefix('(') {
        *rest = after;
        let value = level(rest, 0)?;
        *rest = rest.trim_start().strip_prefix(')')?;
        return Some(value);
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (digits, after) = text.split_at(end);
    *rest = after;
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        // It would be octal.
        None if digits.len() > 1 && digits.starts_with('0') => None,
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_computed() {
        let of = |text| value(text).ok();
        assert_eq!(of("32+8+3"), Some(43));
        assert_eq!(of("32+8+(6&3)"), Some(42));
        assert_eq!(of("1+6&3"), Some(3), "GNU's precedence");
        assert_eq!(of("5+1+2*7"), Some(20));
        assert_eq!(of("0x88000010+(((33+18)&31)<<21)+(((33+18)>>5)<<0)"), Some(0x8a600011));
        assert_eq!(of("-8"), Some(-8));
        assert_eq!(of("10 - 4 - 3"), Some(3));
    }

    #[test]
    fn others_are_refused() {
        for text in ["", "x", "1+", "(1", "1)", "010", "$1", "1 2", "1<<64", "2*", "lt"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
