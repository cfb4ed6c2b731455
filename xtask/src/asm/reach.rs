//! What the backends reach: no backend for instructions that a CPU has may run the code for those that have none,
//! nor another backend's, but for its own halves'.

use super::ir::{Module, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// Where the code for any CPU is, and the backends that consist of two.
const OTHERS: [&str; 2] = ["evariste::backend::portable::", "evariste::backend::pair::"];

/// Backends of two halves, which stand alone where a CPU has only one of them: the code is the same.
const HALVES: [(&str, [&str; 2]); 2] = [("AesNi", ["SseAes", "SseClmul"]), ("Armv8", ["Armv8Aes", "Armv8Pmull"])];

/// What was found in a module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// How many functions and constants each backend, or half of one, reaches. By its type's name.
    pub(crate) reached: BTreeMap<String, usize>,
    pub(crate) violations: Vec<String>,
}

/// Looks at all backends of a module but those of [`OTHERS`].
pub(crate) fn check(module: &Module) -> Findings {
    let of_backends = module.symbols().filter_map(|symbol| Some(implementation(&symbol.name)?.backend));
    let backends: BTreeSet<_> = of_backends.filter(|backend| !is_other(backend)).collect();
    let mut found = Findings::default();
    for backend in backends {
        let is_own = |symbol: &Symbol| implementation(&symbol.name).is_some_and(|i| i.backend == backend);
        let reached = module.reachable(is_own);
        for (symbol, from) in &reached {
            // The step out of what is its own; nobody needs to know where that leads.
            let is_out = |symbol: &Symbol| {
                is_other(&symbol.name)
                    || implementation(&symbol.name)
                        .is_some_and(|i| i.backend != backend && !is_half(i.backend, backend))
            };
            if let Some(from) = from.filter(|from| is_out(symbol) && !is_out(from)) {
                found.violations.push(format!("{} reaches {} from {}", short(backend), symbol.name, from.name));
            }
        }
        found.reached.insert(short(backend), reached.len());
    }
    found
}

fn is_other(name: &str) -> bool {
    OTHERS.iter().any(|path| name.contains(path))
}

fn is_half(part: &str, of: &str) -> bool {
    HALVES.iter().any(|(whole, halves)| *whole == short(of) && halves.contains(&short(part).as_str()))
}

/// A type without paths.
fn short(ty: &str) -> String {
    ty.split_inclusive(['<', '>', ',']).filter_map(|part| part.rsplit("::").next()).collect()
}

/// A method of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Implementation<'a> {
    /// The type.
    pub(crate) backend: &'a str,
    /// `Cipher`, `Hash` or `Imp`.
    pub(crate) of: &'a str,
}

/// From `<TYPE as evariste::backend::TRAIT>::…`.
pub(crate) fn implementation(name: &str) -> Option<Implementation<'_>> {
    let (backend, rest) = name.strip_prefix('<')?.split_once(" as evariste::backend::")?;
    let (of, _) = rest.split_once(">::")?;
    ["Cipher", "Hash", "Imp"].contains(&of).then_some(Implementation { backend, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `A` with this in one of its functions.
    fn found(mention: &str) -> Findings {
        let text = r#"
@table = constant <{ ptr }> <{ ptr @"evariste::backend::portable::encrypt" }>
define void @"<evariste::backend::power::A as evariste::backend::Cipher>::encrypt"() {
  call void @"evariste::backend::power::kernel"()
}
define void @"<evariste::backend::power::B as evariste::backend::Hash>::ghash"() {
}
define void @"<evariste::backend::portable::Portable as evariste::backend::Cipher>::encrypt"() {
  call void @"evariste::backend::portable::encrypt"()
}
define void @"<evariste::backend::pair::Pair as evariste::backend::Imp>::seal"() {
  call void @"evariste::backend::portable::encrypt"()
}
define void @"evariste::backend::power::kernel"() {
  MENTION
}
define void @"evariste::backend::portable::encrypt"() {
}
define void @"evariste::block::inc32"() {
}
"#;
        check(&Module::parse(&text.replace("MENTION", mention)).unwrap())
    }

    #[test]
    fn what_is_common_may_be_reached() {
        let found = found(r#"call void @"evariste::block::inc32"()"#);
        assert_eq!(found.violations, Vec::<String>::new());
        assert_eq!(found.reached, [("A".to_owned(), 3), ("B".to_owned(), 1)].into());
    }

    #[test]
    fn portable_code_is_found() {
        for mention in [r#"call void @"evariste::backend::portable::encrypt"()"#, "%1 = load ptr, ptr @table"] {
            assert_eq!(found(mention).violations.len(), 1, "{mention}");
        }
    }

    #[test]
    fn other_backends_are_found() {
        for ty in ["power::B as evariste::backend::Hash>::ghash", "pair::Pair as evariste::backend::Imp>::seal"] {
            let call = format!(r#"call void @"<evariste::backend::{ty}"()"#);
            assert!(!found(&call).violations.is_empty(), "{call}");
        }
    }

    #[test]
    fn halves_belong_to_their_whole() {
        let is = |part, of| is_half(&format!("evariste::backend::x::{part}"), &format!("evariste::backend::x::{of}"));
        assert!(is("SseAes", "AesNi") && is("Armv8Pmull", "Armv8"));
        assert!(!is("AesNi", "SseAes") && !is("SseAes", "AesNiAvx") && !is("Armv8Aes", "AesNi"));
    }

    #[test]
    fn names_tell_the_backend() {
        let of = |name| implementation(name).map(|i| (i.backend, i.of));
        let name =
            "<evariste::backend::power::Power<evariste::backend::power::Power8> as evariste::backend::Imp>::name";
        let ty = "evariste::backend::power::Power<evariste::backend::power::Power8>";
        assert_eq!(of(name), Some((ty, "Imp")));
        assert_eq!(short(ty), "Power<Power8>");
        assert_eq!(of("<A as evariste::backend::kernel::Vector>::xor"), None);
        assert_eq!(of("evariste::backend::power::aes::expand"), None);
    }
}
